"""The conversation: what was said, as a list of rows of which only the visible ones are widgets."""
