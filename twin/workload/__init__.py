"""Who asks, when, and for what: generated sessions, recorded traces, hit rates of a trace."""
