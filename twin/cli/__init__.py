"""The command line: words in, tables or JSON out; all figures come from the rooms below."""
