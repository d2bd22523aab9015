"""Procedures in Markdown that the model loads when a task fits: where they lie, and what it is told."""
