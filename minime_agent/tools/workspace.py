"""What the tools of one session share: the folder, the sizes of calls and results, which files were read."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_FEWEST, _MOST = 2_000, 16_000
_WRITTEN_PER_TOKEN = 1.5
"""On the safe side: an answer of 4,096 tokens was cut at 12,500 characters, and reasoning takes its part."""


class UnusablePathError(ValueError):
    """A path that no file can have; the message is the text that the model reads."""


class Workspace:
    """One session's folder. `max_output` is the most characters of one result that the model reads."""

    def __init__(self, cwd: Path, max_output: int = _MOST) -> None:
        self.cwd = cwd
        self.max_output = max_output
        self._read: dict[Path, tuple[int, int]] = {}

    def resolve(self, path: str) -> Path:
        """The absolute path that the model means, links followed; raises `UnusablePathError`."""
        try:
            found = (self.cwd / Path(path).expanduser()).resolve()
            with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                found.stat()
        except (OSError, ValueError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise UnusablePathError(f"[error: {path[:100]!r} is no usable path: {reason}]") from None
        return found

    def shown(self, path: Path) -> str:
        """A path as people write it: relative inside the folder."""
        return str(path.relative_to(self.cwd)) if path.is_relative_to(self.cwd) else str(path)

    def note_read(self, path: Path) -> None:
        """The model has seen (or written) the file as it is now."""
        self._read[path] = _stamp(path)

    def has_read(self, path: Path) -> bool:
        """Whether the model has ever seen the file."""
        return path in self._read

    def is_unchanged(self, path: Path) -> bool:
        """Whether the file is still what the model has seen."""
        return self._read.get(path) == _stamp(path)


def output_limit(setting: int, window: int) -> int:
    """Characters of one tool result: the setting, or 15 % of the window at 3.5 characters a token, in bounds.

    Unbounded, a single `cat` fills half of an 8k window.
    """
    if setting:
        return setting
    return min(_MOST, max(_FEWEST, int(window * 0.15 * 3.5))) if window else _MOST


def call_limit(max_tokens: int) -> int:
    """Characters that a model can write in one call when its answer may have `max_tokens`."""
    return int(max_tokens * _WRITTEN_PER_TOKEN)


def clip(text: str, limit: int, hint: str = "narrow it with grep, head or a range") -> str:
    """`text` within `limit` characters, head and tail kept: the end often carries the error."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    left_out = len(text) - limit
    return (
        f"{text[:head]}\n[… {left_out} characters left out; {hint} …]\n{text[len(text) - (limit - head) :]}"
    )


def fitting(rows: Iterable[str], limit: int) -> list[str]:
    """As many whole rows as fit into `limit` characters, at least one of them."""
    kept: list[str] = []
    size = 0
    for row in rows:
        size += len(row) + 1
        if kept and size > limit:
            break
        kept.append(row)
    return kept


def _stamp(path: Path) -> tuple[int, int]:
    """What changes with the file; of one that has just gone, what no file has."""
    try:
        state = path.stat()
    except OSError:
        return -1, -1
    return state.st_mtime_ns, state.st_size
