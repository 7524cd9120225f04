"""One file for each study."""
