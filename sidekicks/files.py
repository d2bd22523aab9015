"""Files of the user's that Sidekicks writes: private, and never half-written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_FOLDER = 0o700
_FILE = 0o600


def make_private(folder: Path) -> None:
    """Makes `folder` and what is missing above it, for the user alone."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=_FOLDER, exist_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file as `writing` does."""
    with writing(path) as file:
        file.write(data)


@contextmanager
def writing(path: Path) -> Generator[IO[bytes]]:
    """A file to be written: at any moment `path` has either its former content or the new one, on the disk.

    A link stays a link, and a file keeps its permissions. Raises `OSError`; then, and when the block is left
    by an exception, nothing has changed.
    """
    target = Path(os.path.realpath(path))  # Path.resolve raises for a link to itself
    mode = target.stat().st_mode & 0o7777 if target.exists() else _FILE
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Makes a rename in `folder` last; Windows has no such call and does it by itself."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
