"""What a running deployment says of itself, in the twin's words."""
