"""Who asks for what: generated sessions and recorded traces."""
