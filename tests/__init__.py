"""What doubts: laws, claims, shapes, and each room by itself."""
