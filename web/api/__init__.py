"""The API: scenarios, traces, runs as jobs, running twins."""
