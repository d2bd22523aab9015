"""`@path` in a question. Knows nothing of the rest of mm."""
