"""What a person types to search: words, "quoted phrases", the beginning of a last word.

A word is a run of letters and digits, without regard to case and to the marks of Latin letters, as the
tokenizer of the index (`unicode61`) has it. What joins words in code (`foo_bar`, `a.b`, paths) makes a phrase
of them. In scripts without spaces each character is a word, so that any part of a run is found.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_APART = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u2fff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"  # Chinese, Japanese
    "\uac00-\ud7af"  # Korean: endings are written without a space
    "\u2190-\u2bff"  # arrows and symbols
    "\U0001f000-\U0001faff\U00020000-\U0003ffff"  # emoji, rare ideographs
)
"""Characters that are words of their own."""


@cache
def _apart() -> re.Pattern[str]:
    # Compiling takes 4 ms, which a start need not wait for.
    return re.compile(f"([{_APART}])")


_LETTER = rf"[^\W_{_APART}]"


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"{_LETTER}+|[{_APART}]")


_piece = re.compile(r'"([^"]*)("?)|[^\s"]+')

SHORTEST_BEGINNING = 3
"""Letters of a last word that may go on; fewer begin too many words."""

_BEFORE, _LENGTH = 40, 160
"""Characters of a snippet before the first hit, and in all."""


class Query:
    """A parsed search; it is false when there is no word in it."""

    def __init__(self, text: str) -> None:
        clean = _readable(text)
        pieces = [match for match in _piece.finditer(clean) if _word().search(match[0])]
        self._phrases = [_word().findall(fold(match[0])) for match in pieces]
        typing = bool(pieces) and not clean[-1:].isspace() and not pieces[-1][2]
        self._typing = typing and len(self._phrases[-1][-1]) >= SHORTEST_BEGINNING
        self._patterns = [
            re.compile(_pattern(phrase, begins=self._typing and phrase is self._phrases[-1]))
            for phrase in self._phrases
        ]

    def __bool__(self) -> bool:
        return bool(self._phrases)

    def expressions(self) -> tuple[str, ...]:
        """The query for FTS5, well-formed whatever was typed: with the last word whole, and as a beginning.

        The second is to be asked when there is too little of the first: of a word that is said often, the
        newest whole ones are wanted, and they are found 20 times faster.
        """
        quoted = " AND ".join('"' + " ".join(phrase) + '"' for phrase in self._phrases)
        return (quoted, quoted + " *") if self._typing else (quoted,)

    def matches(self, text: str) -> bool:
        """Whether all that is looked for is in a `readable` text."""
        folded = fold(text)
        return all(pattern.search(folded) for pattern in self._patterns)

    def snippet(self, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """One line of a `readable` text, around the first hit, and the hits in it (start, end)."""
        folded = fold(text)
        firsts = [match.start() for pattern in self._patterns if (match := pattern.search(folded))]
        start, end = _window(text, min(firsts, default=0))
        hits = sorted(
            match.span() for pattern in self._patterns for match in pattern.finditer(folded, start, end)
        )
        before = "… " if start else ""
        shown = before + re.sub(r"\s", " ", text[start:end]) + (" …" if end < len(text) else "")
        return shown, _merged([(a - start + len(before), b - start + len(before)) for a, b in hits])


def readable(text: str) -> str:
    """A text as it is searched: composed, so that each letter is one character."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def separated(text: str) -> str:
    """A text for the tokenizer: what is a word of its own stands alone."""
    return text if text.isascii() else _apart().sub(r" \1 ", text)


def fold(text: str) -> str:
    """Small letters without marks, at the places where they were."""
    return text.lower() if text.isascii() else "".join(map(_folded, text))


@cache
def _folded(character: str) -> str:
    # the tokenizer takes marks off Latin letters only
    latin = character < "\u0250" or "\u1e00" <= character < "\u1f00"
    return (unicodedata.normalize("NFD", character)[0] if latin else character).lower()[0]


def _readable(text: str) -> str:
    return readable(text.encode("utf-8", "replace").decode())


def _pattern(phrase: list[str], *, begins: bool) -> str:
    """The regular expression for a phrase in a folded text."""
    parts = [] if _apart().match(phrase[0]) else [f"(?<!{_LETTER})"]
    for number, word in enumerate(phrase):
        if number:
            touching = _apart().match(word) or _apart().match(phrase[number - 1])
            parts.append(r"[\W_]*" if touching else r"[\W_]+")
        parts.append(re.escape(word))
    if not _apart().match(phrase[-1]):
        parts.append(f"{_LETTER}*" if begins else f"(?!{_LETTER})")
    return "".join(parts)


def _window(text: str, hit: int) -> tuple[int, int]:
    """From where to where a text is shown; words are not cut if they are not very long."""
    start = max(0, hit - _BEFORE)
    if start:
        space = re.compile(r"\s").search(text, start, hit)
        start = space.end() if space else start
    end = min(len(text), start + _LENGTH)
    if end < len(text):
        cut = max(text.rfind(" ", hit, end), text.rfind("\n", hit, end))
        end = cut if cut > start + _LENGTH // 2 else end
    return start, end


def _merged(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Sorted spans without overlaps."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
