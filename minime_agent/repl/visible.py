"""What a model or a tool prints must not steer the terminal."""

from __future__ import annotations

_HIDDEN = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "�")


def visible(text: str) -> str:
    """The text with its control characters, but tabs and line ends, shown as unprintable."""
    return text.translate(_HIDDEN)
