"""The version of the stored format, and the steps from each version to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from sidekicks.history.driver import Batch, Database

KEY = b"v"

Step: TypeAlias = Callable[[Database, Batch], None]

# STEPS[0] leads from version 1 to 2, and so on. A step reads the database and adds its writes to the batch.
STEPS: tuple[Step, ...] = ()


class NewerFormatError(Exception):
    """The store was written by a newer Sidekicks."""


def migrate(database: Database, steps: Sequence[Step] = STEPS) -> None:
    """Brings the store to the newest version; each step is taken whole or not at all.

    A store without a version is a new one, or lost the number in a repair: then it is of version 1.
    """
    newest = len(steps) + 1
    stored = database.get(KEY)
    version = newest if stored is None and _is_empty(database) else int(stored or b"1")
    if version > newest:
        raise NewerFormatError(f"its format is version {version}, and this Sidekicks knows {newest}")
    for number, step in enumerate(steps[version - 1 :], start=version + 1):
        batch = database.write_batch(sync=True)
        step(database, batch)
        batch.put(KEY, b"%d" % number)
        batch.write()
    if stored is None:
        batch = database.write_batch(sync=True)
        batch.put(KEY, b"%d" % newest)
        batch.write()


def _is_empty(database: Database) -> bool:
    return next(iter(database.iterator()), None) is None
