"""The parts of the page of chips and models: one's own chip, the fit, the catalogue."""
