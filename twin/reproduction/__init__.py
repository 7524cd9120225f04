"""Every published claim computed by the twin, with what it was computed from."""
