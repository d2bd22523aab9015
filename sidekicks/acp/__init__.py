"""The client side of the Agent Client Protocol: one connection per agent, and its sessions."""
