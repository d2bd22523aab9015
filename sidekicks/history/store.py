"""An open LevelDB that comes back from damage and from a failed write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeVar

from sidekicks.files import make_private
from sidekicks.history.driver import Database, Driver
from sidekicks.history.migrate import migrate
from sidekicks.history.records import Records
from sidekicks.history.repair import finish_interrupted, has_lost_its_index, repair_into_copy

T = TypeVar("T")


class LevelStore:
    """An open database that comes back from damage and from a failed write; for one thread but `compact`."""

    def __init__(self, driver: Driver, folder: Path) -> None:
        self._driver = driver
        self._folder = folder
        self._database: Database | None = None
        self._compacting = Lock()
        self.problem = ""

    def open(self) -> None:
        """Opens the store: made when there is none, repaired when damaged, brought to the newest format."""
        finish_interrupted(self._folder)
        make_private(self._folder)
        if has_lost_its_index(self._folder):
            self._repair()
        try:
            self._open()
        except self._driver.failed as error:
            if not self._driver.is_damage(error):
                raise
            self._repair()
            self._open()

    def run(self, call: Callable[[Records], T]) -> T:
        """The answer of `call`. After damage it is asked again of the repaired store, else once more anew.

        LevelDB takes no more writes after one that failed, until it is opened again.
        """
        try:
            return self._call(call)
        except self._driver.failed as error:
            self.close()
            if self._driver.is_damage(error):
                self._repair()
        self._open()
        return self._call(call)

    def close(self) -> None:
        """Closes the database and gives its lock back."""
        with self._compacting:
            if self._database is not None:
                self._database.close()
                self._database = None

    def compact(self, channel: str) -> None:
        """Takes what was said in a deleted channel off the disk; from any thread, others go on meanwhile."""
        with self._compacting:
            if self._database is not None:
                start = b"m/%s/" % channel.encode()
                stop = start + b"\xff"
                self._database.compact_range(start=start, stop=stop)
                # Tables of the lowest level are rewritten only for newer ones above them: these deletions,
                # of nothing, are one that spans the whole range.
                batch = self._database.write_batch()
                batch.delete(start)
                batch.delete(stop)
                batch.write()
                self._database.compact_range(start=start, stop=stop)

    def sweep(self) -> None:
        """Deletes the tables that a compaction has replaced: LevelDB leaves those that somebody still reads.

        On the thread of the calls nobody does. An empty range has nothing to rewrite; what is asked for is
        the clearing up that follows every one.
        """
        with self._compacting:
            if self._database is not None:
                self._database.compact_range(start=b"\x00", stop=b"\x00")

    def _call(self, call: Callable[[Records], T]) -> T:
        if self._database is None:
            self._open()
        assert self._database is not None
        return call(Records(self._database))

    def _open(self) -> None:
        self._database = self._driver.open(self._folder)
        try:
            migrate(self._database)
        except BaseException:
            self.close()
            raise

    def _repair(self) -> None:
        kept = repair_into_copy(self._driver, self._folder)
        self.problem = (
            "The history was damaged and has been repaired, parts may be missing;"
            f" what was there before is kept in {kept}."
        )
