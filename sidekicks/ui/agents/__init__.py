"""The agents' states, buttons and logs."""
