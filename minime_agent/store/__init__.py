"""Sessions on the disk: one file each, a line for everything that happened. Knows nothing of models."""
