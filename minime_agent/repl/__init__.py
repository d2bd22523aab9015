"""The terminal façade."""
