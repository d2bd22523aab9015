"""Writing a file so that a crash leaves the old one or the new one, never half of either."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """Replaces (or creates) the file; permissions and links stay. Raises OSError, also where it is read-only.

    A file with several names (hard links), or in a folder that takes no new file, is written in place.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    exists = target.exists()
    if exists and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only", str(target))
    if exists and (target.stat().st_nlink > 1 or not os.access(target.parent, os.W_OK)):
        _in_place(target, data)
    else:
        _beside(target, data)


def _in_place(target: Path, data: bytes) -> None:
    with target.open("r+b") as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def _beside(target: Path, data: bytes) -> None:
    from tempfile import mkstemp

    descriptor, name = mkstemp(dir=target.parent, prefix=".mm-")
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, fresh)
        else:
            fresh.chmod(0o666 & ~_mask())
        fresh.replace(target)
    except BaseException:
        with suppress(FileNotFoundError):
            fresh.unlink()
        raise


def _mask() -> int:
    """The process's file mask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
