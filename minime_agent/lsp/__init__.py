"""A client of language servers: knows the protocol, nothing of models and tools."""
