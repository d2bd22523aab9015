"""The client side of the Agent Client Protocol: one connection per agent, its sessions, and what they tell."""
