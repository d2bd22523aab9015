"""`@path` in a question becomes `[attached file: /absolute/path]`: a path, so that reading it is seen."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

_MENTION = re.compile(r'(?<![^\s(\[{"“«\'`])@(?:"([^"\n\0]{1,1024})"|([^\s"\0]{1,1024}))')
_PUNCTUATION = ".,;:!?)]}'”»`…"
_AT_MOST = 200
"""Mentions of one question; a pasted log full of @ must not make mm look for each."""


def attached(path: str) -> str:
    """How a file that goes with a question is written, whichever façade it comes from."""
    return f"[attached file: {path}]"


def expand(text: str, cwd: Path) -> str:
    """The text with every `@path` and `@"a path"` of an existing file replaced; all else stays."""
    pieces: list[str] = []
    end = 0
    for mention in islice(_MENTION.finditer(text), _AT_MOST):
        quoted, plain = mention.groups()
        path = (_file(quoted, cwd), len(quoted)) if quoted else _longest(plain, cwd)
        if path[0] is None:
            continue
        pieces += [text[end : mention.start()], attached(path[0])]
        end = mention.end() if quoted else mention.start(2) + path[1]
    return "".join((*pieces, text[end:]))


def written(path: str) -> str:
    """How a person mentions a path."""
    return f'@"{path}"' if re.search(r"\s", path) or path[-1:] in _PUNCTUATION else f"@{path}"


def _longest(word: str, cwd: Path) -> tuple[str | None, int]:
    """The file that a word names, with as much of its punctuation as belongs to it, and how much that is."""
    end = len(word)
    while end:
        if (path := _file(word[:end], cwd)) is not None:
            return path, end
        if word[end - 1] not in _PUNCTUATION:
            break
        end -= 1
    return None, 0


def _file(name: str, cwd: Path) -> str | None:
    path = os.path.normpath(cwd / os.path.expanduser(name))  # noqa: PTH111 (pathlib's raises without a home)
    return path if os.path.isfile(path) else None  # noqa: PTH113 (pathlib's raises for names that are too long)
