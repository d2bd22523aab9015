"""Where in a YAML text the cursor stands: pure, by indentation, so that half-written text will do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

ITEM = "-"
"""What stands in a path for an entry of a list."""

_DASHES = re.compile(r"(\s*)((?:- +)*)")
_KEY = re.compile(r"([A-Za-z0-9_-]+)\s*:(?=\s|$)")
_TYPED = re.compile(r"[A-Za-z0-9_-]*$")


@dataclass(frozen=True)
class Place:
    """`path` are the keys above what is written, `ITEM` for an entry of a list.

    `kind`: a key is being written, or the value of the last key of the path. `typed` is what of it stands
    before the cursor; `start` is the column where it begins, 0-based.
    """

    path: tuple[str, ...]
    kind: Literal["key", "value"]
    typed: str
    start: int


def place(lines: list[str], line: int, column: int) -> Place | None:
    """The place of the cursor, both 0-based; None in a comment and in `[…]`, `{…}` and quoted text."""
    before = lines[line][:column]
    if re.search(r"(^|\s)#", before):
        return None
    parts, rest_at = _parts(before)
    rest = before[rest_at:]
    if match := _KEY.match(rest):
        value = rest[match.end() :]
        typed = value.strip()
        if typed[:1] in ("[", "{", '"', "'", "|", ">", "&", "*"):
            return None
        above = _above(lines, line, parts[0][0] if parts else rest_at)
        path = (*above, *(ITEM for _ in parts), match[1])
        return Place(path, "value", typed, column - len(typed))
    if _TYPED.fullmatch(rest) is None:
        return None
    limit = parts[0][0] if parts else rest_at
    return Place((*_above(lines, line, limit), *(ITEM for _ in parts)), "key", rest, rest_at)


def key_at(lines: list[str], line: int, column: int) -> tuple[str, ...] | None:
    """The path of the key that stands at a place, the key included; None where none does."""
    text = lines[line]
    parts, rest_at = _parts(text)
    match = _KEY.match(text, rest_at)
    if match is None or not match.start() <= column <= match.end(1):
        return None
    limit = parts[0][0] if parts else rest_at
    return (*_above(lines, line, limit), *(ITEM for _ in parts), match[1])


def keys_beside(lines: list[str], line: int, indent: int) -> set[str]:
    """The keys of the same mapping as a key of this indentation in `line`: they need not be offered again."""
    found: set[str] = set()
    for step, numbers in ((-1, range(line - 1, -1, -1)), (1, range(line + 1, len(lines)))):
        del step
        for number in numbers:
            text = lines[number]
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            parts, rest_at = _parts(text)
            if rest_at < indent:
                break
            if rest_at == indent and (match := _KEY.match(text, rest_at)):
                found.add(match[1])
                if parts and numbers.step < 0:
                    break
            if rest_at == indent and parts and numbers.step > 0:
                break
    return found


def _parts(text: str) -> tuple[list[tuple[int, str]], int]:
    """The dashes at the beginning of a line with their columns, and the column of what follows."""
    match = _DASHES.match(text)
    assert match is not None  # it matches nothing, too
    parts = [(match.end(1) + found.start(), ITEM) for found in re.finditer("- +", match[2])]
    end = match.end()
    if text[end:] == "-":
        parts.append((end, ITEM))
        end += 1
    return parts, end


def _above(lines: list[str], line: int, limit: int) -> tuple[str, ...]:
    """The keys and entries that what stands at column `limit` of `line` is in."""
    path: list[str] = []
    for number in range(line - 1, -1, -1):
        text = lines[number]
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        parts, rest_at = _parts(text)
        match = _KEY.match(text, rest_at)
        # A list may stand under its key without being indented further.
        is_open = match is not None and not text[match.end() :].split("#")[0].strip()
        in_item = (bool(path) and path[0] == ITEM) or (not path and _starts_item(lines[line], limit))
        if match is not None and (rest_at < limit or (rest_at == limit and is_open and in_item)):
            path.insert(0, match[1])
            limit = rest_at
        for column, part in reversed(parts):
            if column < limit:
                path.insert(0, part)
                limit = column
        if limit == 0 and not (path and path[0] == ITEM):
            break
    return tuple(path)


def _starts_item(text: str, column: int) -> bool:
    return text[column : column + 1] == "-"
