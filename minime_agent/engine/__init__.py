"""The agent loop: one model, its tools, and what guards them. Façades drive it through `engine.session`."""
