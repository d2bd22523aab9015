"""Ranges of keys, batches of writes and stored values of a database, below what they mean."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from sidekicks.history.driver import Batch, Database

T = TypeVar("T")

log = logging.getLogger(__name__)

_END = b"\xff"


class Space:
    """The keys of an open database; every read finds out whether what it read is as it was written."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: bytes) -> bytes | None:
        """The value of a key."""
        return self._database.get(key, verify_checksums=True)

    def batch(self, *, sync: bool) -> Batch:
        """Begins writes that happen together."""
        return self._database.write_batch(sync=sync)

    def range(
        self, prefix: bytes, after: bytes = b"", before: bytes = b"", *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Keys and values that begin with `prefix`, between `after` and `before`, both left out."""
        return self._database.iterator(
            start=prefix + after,
            stop=prefix + (before or _END),
            include_start=False,
            reverse=reverse,
            verify_checksums=True,
        )

    def keys(
        self, prefix: bytes, after: bytes = b"", before: bytes = b"", *, reverse: bool = False
    ) -> Iterator[bytes]:
        """The keys of such a range."""
        return self._database.iterator(
            include_value=False,
            start=prefix + after,
            stop=prefix + (before or _END),
            include_start=False,
            reverse=reverse,
            verify_checksums=True,
        )

    def put(self, records: dict[bytes, bytes], *, sync: bool = True) -> None:
        """Writes all or none; `sync` waits for the disk."""
        batch = self.batch(sync=sync)
        for key, value in records.items():
            batch.put(key, value)
        batch.write()


def decoded(decoder: msgspec.msgpack.Decoder[T], records: Iterable[tuple[bytes, bytes]]) -> Iterator[T]:
    """The values; see `with_keys`."""
    return (value for _, value in with_keys(decoder, records))


def with_keys(
    decoder: msgspec.msgpack.Decoder[T], records: Iterable[tuple[bytes, bytes]]
) -> Iterator[tuple[bytes, T]]:
    """Keys and values; a value that can't be understood is left out: the others are still worth showing."""
    for key, value in records:
        try:
            yield key, decoder.decode(value)
        except msgspec.MsgspecError as error:
            log.warning("the record %r can't be read: %s", key, error)
