"""What the feasibility page is made of."""
