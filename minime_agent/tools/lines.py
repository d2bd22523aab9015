"""Numbered lines of a file, as many as a result holds; of a huge file without reading the rest of it."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from minime_agent.fileedit.encoding import NotTextError

_BLOCK = 1 << 20
_WIDEST = 2_000
"""Characters of one line that are shown; a longer one is data or generated, and seldom what is looked for."""


class Shown(msgspec.Struct, frozen=True):
    """Rows `number, tab, text`; the numbers of the last line and of the cut ones."""

    rows: list[str]
    last: int
    cut: list[int]


def fitted(lines: Sequence[str], first: int, limit: int) -> Shown:
    """As many of the lines, of which the first has the number `first`, as fit into `limit`; at least one."""
    rows: list[str] = []
    cut: list[int] = []
    size = 0
    widest = min(_WIDEST, limit)
    for number, line in enumerate(lines, first):
        row = f"{number}\t{line[:widest]}"
        size += len(row) + 1
        if rows and size > limit:
            break
        if len(line) > widest:
            cut.append(number)
            row += "…"
        rows.append(row)
    return Shown(rows, first + len(rows) - 1, cut)


def part(path: Path, first: int, most: int) -> tuple[list[str], bool]:
    """Lines of a UTF-8 file from number `first` on, some `most` bytes of them; whether it goes on.

    The last line may be cut where it is the only one. Raises `OSError` and `NotTextError`.
    """
    with path.open("rb") as file:
        if not _skipped(file, first - 1):
            return [], False
        data = file.read(most)
        goes_on = bool(file.read(1))
    try:
        text = getincrementaldecoder("utf-8-sig")().decode(data, final=not goes_on)
    except UnicodeDecodeError as error:
        raise NotTextError(f"not valid utf-8 near line {first}: {error.reason}") from None
    if "\0" in text:
        raise NotTextError("it is a binary file")
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[-1] == "" or (goes_on and len(lines) > 1):
        lines.pop()  # nothing, or the beginning of a line that is not whole
    return lines, goes_on


def _skipped(file: BinaryIO, lines: int) -> bool:
    """Goes to the beginning of the line behind `lines` lines; False where there are not as many."""
    while lines:
        block = file.read(_BLOCK)
        if not block:
            return False
        found = block.count(b"\n")
        if found < lines:
            lines -= found
            continue
        at = -1
        for _ in range(lines):
            at = block.index(b"\n", at + 1)
        file.seek(at + 1 - len(block), 1)
        lines = 0
    return True
