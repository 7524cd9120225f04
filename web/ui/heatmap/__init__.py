"""Parts of the map of BCR over bandwidth and hit rate."""
