"""What differs inside changed lines: the words, so that a reader sees them at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from typing import TypeAlias

Spans: TypeAlias = tuple[tuple[int, int], ...]

_WORD = re.compile(r"\w+|\s+|.")
_LONGEST = 400
"""Characters of a line that is compared: at the bound a pair takes 1 ms."""
_ALIKE = 0.5
"""Lines that have less in common are other lines: all of them is new."""


def changed_words(lines: Sequence[tuple[str, str]]) -> list[Spans]:
    """For each `(sign, text)` of a diff the spans of its text that differ from its counterpart's.

    The first of some removed lines is compared with the first of the added ones that follow, and so on, where
    they are as many.
    """
    spans: list[Spans] = [()] * len(lines)
    runs = [list(run) for _, run in groupby(range(len(lines)), key=lambda number: lines[number][0])]
    for removed, added in pairwise(runs):
        if (lines[removed[0]][0], lines[added[0]][0], len(removed)) == ("-", "+", len(added)):
            for old, new in zip(removed, added, strict=True):
                spans[old], spans[new] = _between(lines[old][1], lines[new][1])
    return spans


def _between(old: str, new: str) -> tuple[Spans, Spans]:
    if max(len(old), len(new)) > _LONGEST:
        return (), ()
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return (), ()
    removed: list[tuple[int, int]] = []
    added: list[tuple[int, int]] = []
    for operation, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if operation != "equal":
            removed += _span(before, old_from, old_to)
            added += _span(after, new_from, new_to)
    return tuple(removed), tuple(added)


def _span(words: list[str], start: int, end: int) -> list[tuple[int, int]]:
    begin = sum(map(len, words[:start]))
    return [(begin, begin + sum(map(len, words[start:end])))] if end > start else []
