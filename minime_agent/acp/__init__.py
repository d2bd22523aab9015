"""The façade that speaks the Agent Client Protocol, and the wire layer both programs share."""
