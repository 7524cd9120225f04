"""A cluster that is not there: a running engine behind the metrics pages of a real deployment."""
