"""Makes characters visible that change what a reader sees without being seen: in commands, paths, links."""

from __future__ import annotations

import re
from typing import Final

_HIDDEN: Final = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)

_DIRECTION: Final = re.compile("[\u061c\u202a-\u202e\u2066-\u2069]")


def reveal(text: str) -> str:
    """The text with each control, zero-width and direction character as `⟨U+202E⟩`."""
    return _HIDDEN.sub(_named, text)


def reveal_direction(text: str) -> str:
    """The text with only what turns its direction shown: for prose, where emoji need their joiners."""
    return _DIRECTION.sub(_named, text)


def hides_something(text: str) -> bool:
    """Whether the text has a character that `reveal` would show."""
    return _HIDDEN.search(text) is not None


def _named(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match[0]):04X}⟩"
