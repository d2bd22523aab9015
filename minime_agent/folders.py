"""Where mm's data lie, and how files that only the user may read are written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    """mm's folder of the user's data: `$MM_DATA_DIR`, else the platform's."""
    chosen = os.environ.get("MM_DATA_DIR")
    return Path(chosen).expanduser() if chosen else platformdirs.user_data_path("mm", appauthor=False)


def private_folder(path: Path) -> Path:
    """`path`, made with what is missing above it, open to its owner alone."""
    for missing in [folder for folder in (path, *path.parents) if not folder.exists()][::-1]:
        missing.mkdir(mode=0o700, exist_ok=True)
    path.chmod(0o700)
    return path


def write_private(path: Path, data: bytes) -> None:
    """Write `data` to `path` as a whole or not at all; mode 0600."""
    # mkstemp makes the file 0600, and a rename keeps that.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
