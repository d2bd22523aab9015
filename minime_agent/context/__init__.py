"""What people write down for agents: AGENTS.md and its kin, as a part of the system prompt."""
