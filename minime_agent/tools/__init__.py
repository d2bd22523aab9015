"""The built-in tools, one file each. A failure is text that the model can act on, never an exception."""
