"""The search of `grep`, run as a program of its own: it imports nothing of mm.

A regular expression can run for ever and holds the interpreter while it does; a process can be ended.
Reads one JSON object on stdin (`_Task`'s keys) and writes one on stdout: `rows` of [path, line, text], `more`
(there were over `most`), `skipped` (files that are too large), `plain` (why the pattern was taken as text).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

_LARGEST = 8 << 20
_LINE = 300


class _Task(TypedDict):
    root: str
    paths: list[str]
    pattern: str
    ignore_case: bool
    most: int


def main() -> None:
    """Searches."""
    task: _Task = json.load(sys.stdin.buffer)
    flags = re.MULTILINE | (re.IGNORECASE if task["ignore_case"] else 0)
    plain = ""
    try:
        pattern = re.compile(task["pattern"], flags)
    except re.error as error:
        plain = str(error)
        pattern = re.compile(re.escape(task["pattern"]), flags)
    rows: list[tuple[str, int, str]] = []
    skipped = 0
    for path in task["paths"]:
        text = _read(Path(task["root"]) / path)
        if text is None:
            skipped += 1
            continue
        for number, line in _matches(pattern, text):
            rows.append((path, number, line))
            if len(rows) > task["most"]:
                break
        if len(rows) > task["most"]:
            break
    found = {
        "rows": rows[: task["most"]],
        "more": len(rows) > task["most"],
        "skipped": skipped,
        "plain": plain,
    }
    sys.stdout.write(json.dumps(found))


def _read(path: Path) -> str | None:
    """The text; empty for what is not text or cannot be read, None for what is too large."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError:
        return ""
    if b"\0" in data[:8192]:
        return ""
    return None if len(data) > _LARGEST else data.decode("utf-8", "replace")


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    """Each line in which a match begins, with its 1-based number."""
    number, counted, last = 1, 0, -1
    for match in pattern.finditer(text):
        number += text.count("\n", counted, match.start())
        counted = match.start()
        begin = text.rfind("\n", 0, counted) + 1
        if begin == last or counted == len(text) > 0:
            continue
        last = begin
        end = text.find("\n", counted)
        line = text[begin : end if end >= 0 else len(text)].rstrip("\r")
        at = max(0, counted - begin - _LINE // 2) if len(line) > _LINE else 0
        shown = line[at : at + _LINE]
        yield number, f"{'…' if at else ''}{shown}{'…' if at + _LINE < len(line) else ''}"


if __name__ == "__main__":
    main()
