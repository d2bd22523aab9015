"""Room in the context window: old tool outputs left out, old turns summarised. It never asks the model."""
