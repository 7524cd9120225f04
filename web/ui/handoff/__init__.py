"""What the handoff lab is made of."""
