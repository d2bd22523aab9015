"""Questions to the user that need more than a line; opened without a nested event loop."""
