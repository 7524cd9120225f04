"""The discrete-event engine: one model of a deployment on a simulated clock."""
