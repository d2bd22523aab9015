"""File patterns as people write them: `*.py`, `src/**/test_*.py`, `{a,b}.txt`, or a part of a name."""

from __future__ import annotations

import re
from collections.abc import Callable

_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\{[^{}]*\}|\[!?\]?[^\]/]*\]|.", re.DOTALL)
_SPECIAL = frozenset("*?[{")
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a path (with slashes, from the folder) is meant.

    Without a slash the name alone counts; without any sign it is a part of the path, in any case.
    """
    pattern = pattern.strip().replace("\\", "/").removeprefix("./")
    if not _SPECIAL & set(pattern):
        part = pattern.casefold()
        return lambda path: part in path.casefold()
    whole = re.compile("".join(map(_translated, _PARTS.findall(pattern))), re.DOTALL)
    if "/" in pattern:
        return lambda path: whole.fullmatch(path) is not None
    return lambda path: whole.fullmatch(path.rpartition("/")[2]) is not None


def _translated(part: str) -> str:
    if part in _WILD:
        return _WILD[part]
    if part[0] == "{" and len(part) > 1:
        return f"(?:{'|'.join(map(re.escape, part[1:-1].split(',')))})"
    if part[0] == "[" and len(part) > 2:
        inside = part[1:-1].replace("\\", r"\\").replace("[", r"\[")
        return f"[{'^' + inside[1:] if inside.startswith('!') else inside}]"
    return re.escape(part)
