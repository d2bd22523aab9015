"""Writing a file so that a crash leaves the old one or the new one, never half of either."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """Replaces (or creates) the file; its permissions stay, a link keeps pointing at it. Raises OSError."""
    from tempfile import mkstemp

    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = mkstemp(dir=target.parent, prefix=f".{target.name}.")
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
