"""The laws of the model, one file each; see the README beside this."""
