"""What the comparison page is made of."""
