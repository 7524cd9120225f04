"""The ingester: brings samples of a running deployment into the store, in a process of its own."""
