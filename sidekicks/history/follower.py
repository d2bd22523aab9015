"""Keeps the search index up to date with the history, on a thread of its own: it never holds the history up.

What the index lacks - all, when it is missing or damaged; some, after a crash - is read from the store in the
background. It is made anew when a channel was deleted, since its words can't be taken out one by one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from sidekicks.history.driver import reason
from sidekicks.history.index import Index, NoPlaceError, damaged, remove
from sidekicks.history.port import HistoryError
from sidekicks.history.query import Query
from sidekicks.models import Message
from sidekicks.tasks import Tasks

T = TypeVar("T")

log = logging.getLogger(__name__)

READ_AT_ONCE = 100
"""Messages that the store reads for the index in one go; whoever sends meanwhile waits for no more."""
IDS_AT_ONCE = 1_000
COMMIT_AFTER = 5_000
WAITING_LIMIT = 1_000
"""Messages that wait for the index; of others it is only known that there are some."""
_END = "\U0010ffff"
"""Greater than any id."""


class Source(Protocol):
    """The store that is followed. Ids are those of messages, of all channels."""

    async def newest_message(self) -> str:
        """The greatest id, else empty."""
        ...

    async def ids(self, after: str, limit: int) -> Sequence[str]:
        """The first ids after `after`, rising."""
        ...

    async def ids_before(self, before: str, limit: int) -> Sequence[str]:
        """The last ids before `before`, or of all, falling."""
        ...

    async def messages(self, ids: Sequence[str]) -> Sequence[Message]:
        """The messages with these ids; those that are not there, or are being deleted, are left out."""
        ...


@dataclass(frozen=True)
class Answer:
    """Ids of messages, newest first; `complete`: the index had all that the history had."""

    ids: list[str]
    complete: bool


class Follower:
    """The index in the file `path`, following `source` from `start` on."""

    def __init__(self, path: Path, source: Source) -> None:
        self._path = path
        self._source = source
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="search")
        self._tasks = Tasks()
        self._index: Index | None = None
        self._fresh: Index | None = None
        self._opened = asyncio.Event()
        self._wake = asyncio.Event()
        self._closed = False
        self._failure: Exception | None = None
        self._made_again = False
        self._behind = False
        self._behind_again = False
        self._reached = _END
        self._waiting: list[tuple[Message, bool]] = []
        self._forgotten: set[str] = set()
        self.problem = ""

    def start(self) -> None:
        """Opens the index in the background and begins to follow."""
        self._tasks.start(self._work(), "search index")

    async def close(self) -> None:
        """Ends the work on the index, wherever it is, and closes it; the source must still be open."""
        await self._tasks.close()
        self._opened.set()
        newest = await self._newest()
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._worker, self._close, newest)
        self._worker.shutdown()

    # -- what the history tells ----------------------------------------------------------------------

    def put(self, message: Message) -> None:
        """A message was kept."""
        if self.problem:
            return
        if len(self._waiting) >= WAITING_LIMIT:
            self.fell_behind()
            return
        # One that the index has not reached is found when it is; it may then be there before it is taken.
        self._waiting.append((message, message.id <= self._reached))
        self._wake.set()

    def fell_behind(self) -> None:
        """Messages came or went that were not told one by one."""
        self._behind = self._behind_again = True
        self._wake.set()

    async def forget(self, channel: str) -> None:
        """A channel was deleted."""
        self._forgotten.add(channel)
        self._waiting = [(message, again) for message, again in self._waiting if message.channel != channel]
        await self._opened.wait()

        def forget() -> None:
            for index in filter(None, (self._index, self._fresh)):
                index.forget(channel)

        try:
            await self.in_thread(forget)
        except sqlite3.Error as error:
            self._fail(error)
        self._wake.set()

    # -- what search asks ----------------------------------------------------------------------------

    async def ask(self, query: Query, channel: str, before: str, limit: int) -> Answer | None:
        """See `Index.find`; None when there is no index that can be used."""
        await self._opened.wait()
        behind = self._behind
        waiting = self._take_waiting()

        def ask() -> Answer | None:
            if self._index is None:
                return None
            _take(self._index, waiting)
            ids = self._index.find(query, channel, before, limit)
            return Answer(ids, complete=not behind and not self._index.stale)

        try:
            return await self.in_thread(ask)
        except sqlite3.Error as error:
            self._fail(error)
            return None
        finally:
            self._wake.set()

    async def in_thread(self, call: Callable[[], T]) -> T:
        """What `call` answers on the thread of the index."""
        if self._closed:
            raise HistoryError("The history is closed.")
        return await asyncio.get_running_loop().run_in_executor(self._worker, call)

    # -- following -----------------------------------------------------------------------------------

    async def _work(self) -> None:
        await self._open()
        while self._index is not None:
            self._wake.clear()
            try:
                waits = not await self._step(self._index)
            except NoPlaceError:
                await self.in_thread(self._index.outdate)
                waits = False
            except (OSError, sqlite3.Error) as error:
                self._fail(error)
                waits = False
            except HistoryError as error:
                log.warning("the search index is behind the history: %s", error)
                waits = self._behind = True
            if waits:
                await self._wake.wait()

    async def _step(self, index: Index) -> bool:
        """Does what is most urgent; false when there is nothing to do."""
        if self._failure is not None:
            await self._recover(self._failure)
        elif index.stale:
            await self._make_anew(index)
        elif self._behind:
            await self._fill(index)
            self._behind = self._behind_again
        elif self._waiting:
            await self.in_thread(partial(_take, index, self._take_waiting()))
        else:
            return False
        return True

    async def _open(self) -> None:
        try:
            newest = await self._newest()
            await self.in_thread(partial(self._begin, newest))
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)
        finally:
            self._opened.set()

    def _begin(self, newest: str | None) -> None:
        """On the thread: whoever closes meanwhile has to find the index, and what it lacks."""
        index = Index(self._path)
        if newest is None or index.settled != newest:
            self._behind = True
        self._index = index

    async def _newest(self) -> str | None:
        """The newest message of the source, if that is known and all before it was told."""
        try:
            return None if self._behind else await self._source.newest_message()
        except HistoryError as error:
            log.warning("the search index can't be compared with the history: %s", error)
            return None

    async def _make_anew(self, old: Index) -> None:
        """Makes another index while this one answers, and puts it in its place."""
        path = self._path.with_name(self._path.name + ".new")

        def begin() -> Index:
            remove(path)
            self._fresh = Index(path)
            return self._fresh

        def change(fresh: Index) -> None:
            self._fresh = None
            fresh.close()
            old.close()
            remove(self._path)
            path.replace(self._path)
            self._index = Index(self._path)

        self._behind = True
        fresh = await self.in_thread(begin)
        await self._fill(fresh)
        await self.in_thread(partial(change, fresh))
        self._behind = self._behind_again  # not before: what is put meanwhile would go into the old one

    async def _fill(self, index: Index) -> None:
        """Gives an index what it lacks, and takes from it what the store has no more."""
        self._behind_again = False
        self._reached = ""
        uncommitted = 0
        while self._reached != _END:
            after = self._reached
            ids = await self._source.ids(after, IDS_AT_ONCE)
            lacking = await self.in_thread(partial(index.missing, after, ids))
            self._reached = ids[-1] if ids else _END
            for start in range(0, len(lacking), READ_AT_ONCE):
                messages = await self._source.messages(lacking[start : start + READ_AT_ONCE])
                kept = [message for message in messages if message.channel not in self._forgotten]
                await self.in_thread(partial(index.add, kept))
            uncommitted += len(lacking)
            if uncommitted >= COMMIT_AFTER or not ids:
                await self.in_thread(index.commit)
                uncommitted = 0

    def _take_waiting(self) -> list[tuple[Message, bool]]:
        """What waits for the index; nothing while it is filled, which finds most of it by itself."""
        if self._behind:
            return []
        waiting, self._waiting = self._waiting, []
        return waiting

    # -- when the index can't be used ----------------------------------------------------------------

    def _fail(self, error: Exception) -> None:
        self._failure = error
        self._wake.set()

    async def _recover(self, error: Exception) -> None:
        """Makes a damaged index again, once; after any other failure there is none until the next start."""
        self._failure = None
        await self.in_thread(self._abandon)
        if self._made_again or not (isinstance(error, sqlite3.Error) and damaged(error)):
            self._give_up(error)
            return
        log.warning("the search index is damaged (%s) and is made again", error)
        self._made_again = self._behind = True

        def make() -> None:
            remove(self._path)
            self._index = Index(self._path)

        try:
            await self.in_thread(make)
        except (OSError, sqlite3.Error) as further:
            self._give_up(further)

    def _abandon(self) -> None:
        for index in filter(None, (self._index, self._fresh)):
            with contextlib.suppress(sqlite3.Error):  # what is broken may be so when it is closed
                index.close()
        self._index = self._fresh = None

    def _give_up(self, error: Exception) -> None:
        why = "this SQLite is built without FTS5" if "fts5" in str(error) else reason(error)
        self.problem = (
            f"Searching is slow: the index {self._path} can't be used ({why}), so that messages are looked"
            " through one by one."
        )
        log.warning("%s", self.problem)
        self._waiting = []

    def _close(self, newest: str | None) -> None:
        if self._fresh is not None:
            self._fresh.close()
            remove(self._fresh.path)
        if self._index is None:
            return
        try:
            if newest is not None and not self._behind:
                _take(self._index, self._waiting)
            self._index.close(newest if not self._behind else None)
        except sqlite3.Error as error:
            log.warning("the search index was not closed in peace: %s", error)
            self._abandon()


def _take(index: Index, waiting: Sequence[tuple[Message, bool]]) -> None:
    try:
        for message, again in waiting:
            index.add([message], replace=again)
        index.commit()
    except NoPlaceError:
        index.outdate()
