"""Mini Me (`mm`): an agent engine for local models, with several façades on one loop."""
