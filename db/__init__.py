"""What is remembered: scenarios, runs, running twins; the only rooms that know SQL."""
