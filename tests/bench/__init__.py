"""Measures the budgets of ARCHITECTURE.md in CPU time; `make bench` runs it."""
