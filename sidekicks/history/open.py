"""Finds and opens the history of a configuration file; when that can't be, there is one in memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from sidekicks.history.driver import Driver, reason
from sidekicks.history.leveldb import LevelHistory
from sidekicks.history.memory import MemoryHistory
from sidekicks.history.migrate import NewerFormatError
from sidekicks.history.port import History


def data_path(config_path: Path, base: Path) -> Path:
    """The folder of the history of a configuration file, below `base`, where all histories are."""
    absolute = os.path.abspath(config_path)  # noqa: PTH100 - the path as given: links are not followed
    return base / hashlib.sha256(os.fsencode(absolute)).hexdigest()[:16]


async def open_history(
    folder: Path, on_problem: Callable[[str], None] = lambda problem: None
) -> tuple[History, str]:
    """The history in `folder`, and what is wrong in one sentence, else empty.

    When the store can't be used, the history is in memory. `on_problem` gets the sentence when a store that
    was opened turns out to be damaged later, and has been repaired.
    """
    try:
        history = await LevelHistory.open(Driver(), folder, on_problem)
    except Exception as error:  # noqa: BLE001 - whatever it is, the user can go on and is told
        return MemoryHistory(), _sentence(folder, error)
    return history, history.problem


def _sentence(folder: Path, error: Exception) -> str:
    cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    said = reason(cause)
    until = "This session's history is kept in memory only, until Sidekicks is closed"
    if "lock " in said.partition("IO error: ")[2] or "being used by another process" in said:
        return f"{until}: another Sidekicks has opened the same configuration file."
    if isinstance(cause, NewerFormatError):
        return f"{until}: the stored one is from a newer Sidekicks ({said}). It is left as it is."
    return f"{until}: the one in {folder} can't be opened ({said})."
