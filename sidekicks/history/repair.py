"""Repairs a damaged store into a copy; what was there before stays beside it, untouched."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from sidekicks.history.driver import Driver


def has_lost_its_index(folder: Path) -> bool:
    """Whether there are tables but no CURRENT: opened, the folder would pass for new and they be deleted."""
    if (folder / "CURRENT").exists() or not folder.is_dir():
        return False
    return any(path.suffix in (".ldb", ".sst", ".log") for path in folder.iterdir())


def finish_interrupted(folder: Path) -> None:
    """Puts a repaired copy in its place when the program ended just before that."""
    copy = _copy_of(folder)
    if not folder.exists() and copy.exists():
        copy.rename(folder)


def repair_into_copy(driver: Driver, folder: Path) -> Path:
    """Repairs the closed store in `folder`; answers where what was there is now. May raise what files raise.

    The copy is made and repaired first, so that the store is in its place until there is a better one.
    """
    copy = _copy_of(folder)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("LOCK", "lost"))
    driver.repair(copy)
    driver.open(copy).close()
    kept = folder.with_name(f"{folder.name}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}")
    folder.rename(kept)
    copy.rename(folder)
    return kept


def _copy_of(folder: Path) -> Path:
    return folder.with_name(folder.name + ".repairing")
