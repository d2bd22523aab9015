"""The files of the working folder that a message can name: which there are, and which are meant. No Qt."""

from __future__ import annotations

import heapq
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

MOST = 100_000
"""Files that are offered; of a folder with more some are left out."""
LISTING_SECONDS = 20.0
MOST_RANKED = 2_000
MOST_BY_LETTERS = 20_000
_PASSED_OVER = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", "target", "dist"}
)
"""Folders that nobody names a file in, where no git says what is ignored."""


class FileNames:
    """The files and folders below a folder, by their paths from there; folders end with `/`."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = list(paths)
        self._folded = [path.casefold() for path in paths]
        self._names = [path.rstrip("/").rpartition("/")[2] for path in self._folded]

    def __len__(self) -> int:
        return len(self._paths)

    def matching(self, typed: str, limit: int) -> list[str]:
        """Those that are meant by `typed`, best first: by their name, by their path, by letters in order.

        100,000 names take less than a frame of 16 ms (December 2026).
        """
        wanted = typed.casefold()
        if not wanted:
            return self._paths[:limit]
        places = [place for place, path in enumerate(self._folded) if wanted in path]
        if not places and len(self._paths) <= MOST_BY_LETTERS:
            places = list(self._by_letters(wanted))
        if len(places) > MOST_RANKED:
            # The least deep ones come first in the list already.
            named = [place for place in places if self._names[place].startswith(wanted)]
            places = (named or places)[:MOST_RANKED]
        best = heapq.nsmallest(limit, places, key=lambda place: self._rank(wanted, place))
        return [self._paths[place] for place in best]

    def _rank(self, wanted: str, place: int) -> tuple[bool, bool, int, str]:
        path = self._folded[place]
        name = self._names[place]
        return (not name.startswith(wanted), wanted not in name, len(path), path)

    def _by_letters(self, wanted: str) -> Iterator[int]:
        for place, path in enumerate(self._folded):
            at = 0
            for letter in wanted:
                at = path.find(letter, at) + 1
                if not at:
                    break
            else:
                yield place


def list_files(folder: str) -> FileNames:
    """The files below `folder` but what git ignores there; blocks, for up to some seconds."""
    paths = _by_git(folder)
    if paths is None:
        paths = list(_walk(Path(folder)))
    folders = {f"{parent}/" for path in paths for parent in _parents(path)}
    return FileNames(sorted({*paths, *folders}, key=lambda path: (path.count("/"), path)))


def mention(path: str) -> str:
    """How a message names a file: in quotes where its path has blanks and none of its own."""
    quoted = '"' not in path and any(letter.isspace() for letter in path)
    return f'@"{path}"' if quoted else f"@{path}"


def _by_git(folder: str) -> list[str] | None:
    """None where there is no git, or it knows nothing of the folder."""
    # A folder's own configuration may name a program that watches for changes: it is not started.
    listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    command = ["git", "-c", "core.fsmonitor=false", "-C", folder, *listing]
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=LISTING_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    return [path for path in done.stdout.decode("utf-8", "replace").split("\0") if path][:MOST]


def _walk(folder: Path) -> Iterator[str]:
    found = 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _PASSED_OVER)
        inside = Path(place).relative_to(folder)
        for name in sorted(files):
            yield (inside / name).as_posix()
            found += 1
            if found >= MOST:
                return


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
