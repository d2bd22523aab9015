"""Files that a text mentions: `@path`, as a person writes it and as dropping a file does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidekicks.channels.mentions import find_mentions, without_code

MAX_FILES = 50
"""Files of one text that are looked for."""
MAX_WORDS = 8
"""Words of a path with spaces in it that was not put between quotes."""
_CANDIDATE = re.compile(r"(?<![\w@/\\.+-])@(?:\"([^\"\n]+)\"|(\S[^\n]{0,4000}))")
_CLOSING = ".,;:!?)]}'\""


def find_files(text: str, folder: str, agents: Iterable[str]) -> tuple[str, ...]:
    """The existing files and folders inside `folder` that `text` mentions, absolute, each once.

    Not in code, and not what mentions one of `agents`. A path is absolute, or relative to the folder.
    Looks at the disk.
    """
    if "@" not in text:
        return ()
    base = Path(folder).resolve()
    mentioned = {mention.start for mention in find_mentions(text, agents)}
    found: dict[str, None] = {}
    looked_for = 0
    readable = without_code(text)
    position = 0
    while looked_for < MAX_FILES and (match := _CANDIDATE.search(readable, position)) is not None:
        position = match.start() + 1
        if match.start() in mentioned:
            continue
        looked_for += 1
        paths = [match[1]] if match[1] is not None else _spellings(match[2])
        for path in paths:
            file = _inside(base, path)
            if file is not None:
                found[str(file)] = None
                break
    return tuple(found)


def _spellings(text: str) -> Iterator[str]:
    """What the path may be: the first word, with or without the marks behind it, then more words."""
    ends = [match.start() for match in re.finditer(r"\s|\Z", text)][:MAX_WORDS]
    for end in ends:
        path = text[:end]
        yield path
        if (bare := path.rstrip(_CLOSING)) != path:
            yield bare


def _inside(base: Path, path: str) -> Path | None:
    try:
        file = (base / path).resolve()
        return file if path and file.is_relative_to(base) and file != base and file.exists() else None
    except (OSError, ValueError, RuntimeError):
        return None  # no name that a file could have
