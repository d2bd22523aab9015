"""Files of the user's that Sidekicks writes: never half-written, and private when they are its own."""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_FOLDER = 0o700
_FILE = 0o600
_USUAL_FILE = 0o666


def make_private(folder: Path) -> None:
    """Makes `folder` and what is missing above it, for the user alone."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=_FOLDER, exist_ok=True)


def write_whole(path: Path, data: bytes, *, private: bool = True) -> None:
    """Writes a file as `writing` does."""
    with writing(path, private=private) as file:
        file.write(data)


@contextmanager
def writing(path: Path, *, private: bool = True) -> Generator[IO[bytes]]:
    """A file to be written: at any moment `path` has either its former content or the new one, on the disk.

    A link stays a link, and a file keeps its permissions; a new one is the user's alone, or as the user's
    files usually are. Raises `OSError`; then, and when the block is left by an exception, nothing has
    changed.
    """
    target = Path(os.path.realpath(path))  # Path.resolve raises for a link to itself
    former = target.stat().st_mode & 0o7777 if target.exists() else None
    usual = former is None and not private
    handle, temporary = _begin(target, _USUAL_FILE if usual else _FILE)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if former is not None:
            temporary.chmod(former)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _begin(target: Path, mode: int) -> tuple[int, Path]:
    """A new file beside `target`, open for writing; what the user's umask takes away is not in its mode."""
    temporary = target.with_name(f".{target.name[:50]}.{secrets.token_hex(6)}")
    binary = getattr(os, "O_BINARY", 0)
    return os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | binary, mode), temporary


def _sync_folder(folder: Path) -> None:
    """Makes a rename in `folder` last; Windows has no such call and does it by itself."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
