"""What the oscillation page is made of."""
