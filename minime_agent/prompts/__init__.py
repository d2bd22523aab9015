"""Prompt templates: `.mm/prompts/review.md` is `/review`."""
