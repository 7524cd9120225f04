"""The parts of the claims page: the table, one claim, overrides and constants, tensions."""
