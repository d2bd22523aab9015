"""The index of what was said: SQLite's FTS5 in a file beside the store. Calls block; for one thread.

It holds no text (it is contentless), only which words are where: 100,000 messages of 700 characters take some
40 MB. It can be deleted at any time.

    fts     the words of messages, and their channel as one word more
    docs    which message is at which place (the rowid of `fts`)
    meta    `settled`: the newest message of the store when the index was known to have all;
            `stale`: words of deleted messages are still in it

Places rise with the ids of messages, so that the newest are found first without sorting. They have gaps: an
answer is put when it is over, and its id may be older than those of messages put meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from sidekicks.history.query import Query, separated
from sidekicks.history.said import said
from sidekicks.models import Message

VERSION = 1
GAP = 64
"""Between places of neighbours; a distance below 128 takes one byte in the index."""
_REPLACED = "/"
"""In the id of a message that was put again: its former words can't be taken out, and lead to nothing."""

_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_MAKE = """
    CREATE VIRTUAL TABLE fts USING fts5(said, channel, content='', columnsize=0,
        tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co So'");
    CREATE TABLE docs (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, channel TEXT NOT NULL);
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_FIND = """
    SELECT id FROM fts CROSS JOIN docs ON place = fts.rowid
    WHERE fts MATCH ? AND fts.rowid < ? ORDER BY fts.rowid DESC LIMIT ?
"""


class NoPlaceError(Exception):
    """Between two neighbours there is no room for another message: the index has to be made anew."""


class Index:
    """An open index; begins empty when its file is missing, damaged, or of another version."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            usable = self._open()
        except sqlite3.DatabaseError as error:
            if not damaged(error):
                raise
            usable = False
        if not usable:
            remove(path)
            self._open()
        try:
            self.settled = self._meta("settled")
            self.stale = self._meta("stale") is not None
            self._unsettle()
        except BaseException:
            self._connection.close()
            raise

    def add(self, messages: Iterable[Message], *, replace: bool = True) -> None:
        """Takes in messages; those that it has are replaced, or passed over.

        They are found at once, and kept by `commit`. May raise `NoPlaceError`.
        """
        self._begin()
        for message in messages:
            if message.id <= self._newest and self._is_there(message.id, replace=replace):
                continue
            place = self._place(message.id)
            self._run("INSERT INTO docs VALUES (?, ?, ?)", place, message.id, message.channel)
            if text := separated(said(message)):
                self._run(
                    "INSERT INTO fts (rowid, said, channel) VALUES (?, ?, ?)", place, text, message.channel
                )
            if message.id > self._newest:
                self._newest, self._last = message.id, place

    def missing(self, after: str, ids: Sequence[str]) -> list[str]:
        """Which of the store's messages are not here: `ids` are all that it has after `after` in a row.

        What is here from there to the last of them, or to the end if there are none, but not in the store is
        forgotten.
        """
        self._begin()
        last = ids[-1] if ids else "\U0010ffff"
        rows = self._run("SELECT id FROM docs WHERE id > ? AND id <= ?", after, last)
        here = {row[0] for row in rows if _REPLACED not in row[0]}
        for gone in here.difference(ids):
            self._run("DELETE FROM docs WHERE id = ?", gone)
            self._set_stale()
        return [id_ for id_ in ids if id_ not in here]

    def outdate(self) -> None:
        """Says that it has to be made anew."""
        self._begin()
        self._set_stale()
        self.commit()

    def forget(self, channel: str) -> None:
        """Forgets the messages of a channel; their words are gone when the index is made anew (`stale`)."""
        self._begin()
        if self._run("DELETE FROM docs WHERE channel = ?", channel).rowcount:
            self._set_stale()
        self.commit()

    def find(self, query: Query, channel: str, before: str, limit: int) -> list[str]:
        """The ids of the newest messages with all the words, newest first; older than `before`."""
        end = 1 << 62
        if before:
            first_not = self._run(
                "SELECT place FROM docs WHERE id >= ? ORDER BY id LIMIT 1", before
            ).fetchone()
            end = first_not[0] if first_not else end
        within = f' AND channel : "{channel.replace(chr(34), "")}"' if channel else ""
        found: list[str] = []
        for expression in query.expressions():
            wanted = f"said : ({expression}){within}"
            found = [row[0] for row in self._run(_FIND, wanted, end, limit)]
            if len(found) == limit:
                break
        return found

    def commit(self) -> None:
        """Keeps what was added."""
        if self._connection.in_transaction:
            self._run("COMMIT")

    def close(self, settled: str | None = None) -> None:
        """Closes the file. `settled`: the newest message of the store, when all are in here."""
        try:
            if settled is not None:
                self._begin()
                self._run("REPLACE INTO meta VALUES ('settled', ?)", settled)
            self.commit()
        finally:
            self._connection.close()

    def _open(self) -> bool:
        """Opens the file; whether it is an index of this version. It is closed when it is not."""
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        self._connection = sqlite3.connect(self.path, timeout=1, isolation_level=None)
        usable = False
        try:
            usable = self._prepare()
        finally:
            if not usable:
                self._connection.close()
        return usable

    def _prepare(self) -> bool:
        for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL"):
            self._run(f"PRAGMA {pragma}")
        if self._run("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            self._connection.executescript(f"BEGIN; {_MAKE} PRAGMA user_version = {VERSION}; COMMIT;")
        if self._run("PRAGMA user_version").fetchone() != (VERSION,):
            return False
        row = self._run("SELECT id, place FROM docs ORDER BY id DESC LIMIT 1").fetchone()
        self._newest, self._last = row or ("", 0)
        return True

    def _unsettle(self) -> None:
        """From now on the store may have more than the index, until this is closed in peace."""
        self._run("DELETE FROM meta WHERE key = 'settled'")
        self._run("PRAGMA wal_checkpoint(TRUNCATE)")

    def _is_there(self, id_: str, *, replace: bool) -> bool:
        if not replace:
            return self._run("SELECT 1 FROM docs WHERE id = ?", id_).fetchone() is not None
        self._run("UPDATE docs SET id = id || ? || printf('%020d', place) WHERE id = ?", _REPLACED, id_)
        return False

    def _place(self, id_: str) -> int:
        """A free place between the neighbours of a message."""
        if id_ > self._newest:
            return self._last + GAP
        before = "SELECT place FROM docs WHERE id < ? ORDER BY id DESC LIMIT 1"
        behind = "SELECT place FROM docs WHERE id > ? ORDER BY id LIMIT 1"
        low = (self._run(before, id_).fetchone() or (0,))[0]
        high = (self._run(behind, id_).fetchone() or (self._last + GAP,))[0]
        if high - low < 2:
            raise NoPlaceError
        return (low + high) // 2

    def _set_stale(self) -> None:
        self.stale = True
        self._run("REPLACE INTO meta VALUES ('stale', '')")

    def _meta(self, key: str) -> str | None:
        row = self._run("SELECT value FROM meta WHERE key = ?", key).fetchone()
        return None if row is None else row[0]

    def _begin(self) -> None:
        if not self._connection.in_transaction:
            self._run("BEGIN")

    def _run(self, statement: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)


def damaged(error: sqlite3.Error) -> bool:
    """Whether the file is not what SQLite wrote; else it can't be used at the moment."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _CODES


def remove(path: Path) -> None:
    """Deletes an index that is not open."""
    for suffix in ("-wal", "-shm", "-journal", ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
