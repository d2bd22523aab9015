"""Lines in the indentation of the file that they go into: its base level, and its unit of blanks or tabs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import gcd

_TAB = 4
"""Columns that a tab counts for where blanks and tabs are compared."""


def reindented(
    new: Sequence[str], old: Sequence[str], there: Sequence[str], text: Sequence[str], changed: slice
) -> list[str]:
    """`new` as the file would have it, where its lines `there` are what the model wrote as `old`.

    An indentation that `old` has, first in its `changed` lines, becomes the one of its line in the file;
    others follow from the units, the file's from its lines `text`.
    """
    known: dict[str, str] = {}
    pairs = list(zip(old, there, strict=True))
    for mine, theirs in [*pairs[changed], *pairs]:
        if mine.strip():
            known.setdefault(_indent(mine), _indent(theirs))
    base = next(iter(known), "")
    written = _unit(new) or _unit(old)
    wanted = _unit(there) or _unit(text) or written
    return [_moved(line, known, base, written, wanted) for line in new]


def _moved(line: str, known: dict[str, str], base: str, written: str, wanted: str) -> str:
    if not line.strip():
        return line.strip(" \t")
    indent = _indent(line)
    rest = line[len(indent) :]
    if indent in known:
        return known[indent] + rest
    width = len(written.expandtabs(_TAB)) or _TAB
    columns = len(indent.expandtabs(_TAB)) - len(base.expandtabs(_TAB))
    depth, beyond = divmod(columns, width)
    if depth < 0:
        level = (
            known[base][: len(known[base]) + depth * len(wanted)]
            if -depth * len(wanted) <= len(known[base])
            else ""
        )
        return level + " " * beyond + rest
    return known.get(base, "") + wanted * depth + " " * beyond + rest


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(lines: Sequence[str]) -> str:
    """One level: a tab, or as many blanks as most lines go in by; empty where there is none."""
    indents = [_indent(line) for line in lines if line.strip()]
    tabs = sum(indent.startswith("\t") for indent in indents)
    if tabs and tabs * 2 >= sum(1 for indent in indents if indent):
        return "\t"
    widths = [len(indent) for indent in indents if not indent.startswith("\t")]
    rises = Counter(after - before for before, after in pairwise(widths) if after > before)
    if rises:
        most = max(rises.values())
        return " " * min(width for width, count in rises.items() if count == most)
    return " " * gcd(*(before - after for before, after in pairwise(widths)))
