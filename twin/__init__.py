"""The front door of the twin, for guests only; nobody inside imports through it."""
