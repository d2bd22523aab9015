"""The LevelDB binding: `plyvel`, or `plyvel_next` where that has no builds; same calls, same files."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol, cast, overload


class Batch(Protocol):
    """Writes that happen together."""

    def put(self, key: bytes, value: bytes) -> None:
        """Adds a write."""
        ...

    def delete(self, key: bytes) -> None:
        """Adds a deletion."""
        ...

    def write(self) -> None:
        """Writes them all, or none."""
        ...


class Database(Protocol):
    """An open LevelDB, as far as it is used here. All calls block."""

    def get(self, key: bytes, *, verify_checksums: bool = False) -> bytes | None:
        """The value of `key`."""
        ...

    @overload
    def iterator(
        self,
        *,
        reverse: bool = False,
        start: bytes | None = None,
        stop: bytes | None = None,
        include_start: bool = True,
        include_stop: bool = False,
        verify_checksums: bool = False,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Keys and values from `start` to `stop`, in their order or backwards."""
        ...

    @overload
    def iterator(
        self,
        *,
        include_value: Literal[False],
        reverse: bool = False,
        start: bytes | None = None,
        stop: bytes | None = None,
        include_start: bool = True,
        include_stop: bool = False,
        verify_checksums: bool = False,
    ) -> Iterator[bytes]:
        """The keys alone."""
        ...

    def write_batch(self, *, sync: bool = False) -> Batch:
        """Begins a batch; `sync` makes its `write` wait for the disk."""
        ...

    def compact_range(self, *, start: bytes | None = None, stop: bytes | None = None) -> None:
        """Rewrites what is between these keys, without what was deleted; others can write meanwhile."""
        ...

    def close(self) -> None:
        """Closes the files and gives the lock back."""
        ...


_SHORT_TABLE = (".ldb: Invalid argument", ".sst: Invalid argument")


class Driver:
    """Opens and repairs databases. `failed` is what all errors of the binding are."""

    def __init__(self) -> None:
        try:
            module = importlib.import_module("plyvel")
        except ImportError:
            module = importlib.import_module("plyvel_next")
        self._open = module.DB
        self._repair = module.repair_db
        self._corrupt = cast("type[Exception]", module.CorruptionError)
        self.failed = cast("type[Exception]", module.Error)

    def open(self, folder: Path) -> Database:
        """Opens the database in `folder`, made when it is empty. Damage is an error and not passed over."""
        # bloom filters and bigger caches bring nothing: nearly all reads are ranges.
        return cast("Database", self._open(str(folder), create_if_missing=True, paranoid_checks=True))

    def is_damage(self, error: Exception) -> bool:
        """Whether an error says that stored data is not as it was written.

        Of a table that is shorter than it was, LevelDB says only that it can't be read at some place.
        """
        said = reason(error)
        short = any(ending in said for ending in _SHORT_TABLE) and "IO error" in said
        return isinstance(error, self._corrupt) or (isinstance(error, self.failed) and short)

    def repair(self, folder: Path) -> None:
        """Brings back what can be read of a damaged database, in its folder."""
        self._repair(str(folder), paranoid_checks=True)


def reason(error: BaseException) -> str:
    """What an error says; those of the binding carry bytes."""
    said = error.args[0] if error.args else ""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said or type(error).__name__)
