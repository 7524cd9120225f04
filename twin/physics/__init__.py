"""Formulas of single parts: pure functions of plain numbers, no clock and no state."""
