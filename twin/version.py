"""The version of the program, part of what a run is a function of."""

VERSION = "0.1.0"
