"""A page of the web as Markdown; knows nothing of models and tools."""
