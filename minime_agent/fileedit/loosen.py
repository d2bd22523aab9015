"""What a model writes for the same thing: other quotes and dashes, and the line numbers that it was shown."""

from __future__ import annotations

import re
from itertools import pairwise

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00a0\u1680\u202f\u205f\u3000", " "),
        **dict.fromkeys(map(chr, range(0x2000, 0x200B)), " "),
    }
)
_NUMBERED = re.compile(r"[ \t]*(\d{1,7})(?:\t|[ ]?[|│:→][ ]?)")


def plain(text: str) -> str:
    """Typographic quotes, dashes and blanks as their ASCII forms, each at the place where it was."""
    return text if text.isascii() else text.translate(_PLAIN)


def without_numbers(text: str) -> str | None:
    """A text whose every line begins with a rising number, without them; None for any other."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    found = [_NUMBERED.match(line) for line in lines]
    numbers = [int(match[1]) for match in found if match is not None]
    rises = all(before < after for before, after in pairwise(numbers))
    if not numbers or len(numbers) < len(lines) or not rises:
        return None
    return without_any_numbers(text)


def without_any_numbers(text: str) -> str:
    """The text that is to replace a numbered one: lines that have a number lose it, too."""
    lines = text.split("\n")
    return "\n".join(line[match.end() :] if (match := _NUMBERED.match(line)) else line for line in lines)
