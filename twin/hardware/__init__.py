"""What is publicly known of chips and served models, and efficiencies fitted to measurements."""
