"""The agents' programs: one process and one connection each, started, watched and ended."""
