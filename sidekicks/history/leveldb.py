"""A history in LevelDB. Calls run on a thread of its own: a compaction never holds up the event loop."""

# ruff: noqa: D102 - the protocol has the docstrings

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from sidekicks.history.driver import Driver, reason
from sidekicks.history.port import PAGE, HistoryError, Member
from sidekicks.history.records import Records
from sidekicks.history.search import Search
from sidekicks.history.store import LevelStore
from sidekicks.models import Channel, Command, Message, Page, PermissionRule, SearchResult, ToolKind
from sidekicks.tasks import Tasks

T = TypeVar("T")

INDEX = ".search.sqlite"
"""What the name of the search index beside the store's folder ends in."""
DELETED_AT_ONCE = 1_000
"""Messages of a deleted channel; some milliseconds in which nobody can send."""


class LevelHistory:
    """A `History` on a `LevelStore`. `on_problem` is called in the event loop when it had to be repaired."""

    def __init__(
        self,
        store: LevelStore,
        worker: ThreadPoolExecutor,
        on_problem: Callable[[str], None],
        index: Path,
        newest_id: str,
    ) -> None:
        self._store = store
        self._worker = worker
        self._on_problem = on_problem
        self._told = store.problem
        self._newest_id = newest_id
        self._tasks = Tasks()
        self._search = Search(index, self)
        self._not_listed: set[str] = set()
        self._closing = False
        self._closed = False

    @classmethod
    async def open(cls, driver: Driver, folder: Path, on_problem: Callable[[str], None]) -> LevelHistory:
        """Opens the store in `folder`. Raises what the binding and the file system raise."""
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="history")
        store = LevelStore(driver, folder)
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(worker, store.open)
            newest_id = await loop.run_in_executor(worker, store.run, Records.newest_id)
            hidden = await loop.run_in_executor(worker, store.run, Records.hidden_channels)
        except BaseException:
            await loop.run_in_executor(worker, store.close)
            worker.shutdown()
            raise
        history = cls(store, worker, on_problem, folder.with_name(folder.name + INDEX), newest_id)
        history._search.start()
        for channel in hidden:
            history._tasks.start(history.delete_channel(channel), f"deletion of {channel}")
        return history

    @property
    def problem(self) -> str:
        """What happened to the store, in one sentence, else empty."""
        return self._store.problem

    @property
    def newest_id(self) -> str:
        """See `History`; so for all that follow."""
        return self._newest_id

    async def channels(self) -> tuple[Channel, ...]:
        return await self._run(Records.channels)

    async def put_channel(self, channel: Channel) -> None:
        await self._run(lambda records: records.put_channel(channel))
        if channel.id in self._not_listed:
            self._not_listed.discard(channel.id)
            self._search.fell_behind()

    async def delete_channel(self, channel: str) -> None:
        self._not_listed.discard(channel)
        await self._run(lambda records: records.hide_channel(channel))
        after: str | None = ""
        while after is not None:  # in small steps, so that others can send meanwhile
            after = await self._run(partial(_delete_some, channel, after))
        await self._search.forget(channel)
        await asyncio.to_thread(self._store.compact, channel)
        await self._run(lambda records: records.unmark_channel(channel))
        await asyncio.get_running_loop().run_in_executor(self._worker, self._store.sweep)

    async def members(self, channel: str) -> dict[str, Member]:
        return await self._run(lambda records: records.members(channel))

    async def put_member(self, channel: str, member: Member) -> None:
        await self._run(lambda records: records.put_member(channel, member))

    async def delete_member(self, channel: str, agent: str) -> None:
        await self._run(lambda records: records.delete_member(channel, agent))

    async def put_message(self, message: Message, member: Member | None = None) -> None:
        await self._run(lambda records: records.put_message(message, member))
        self._search.put(message)

    async def put_messages(self, messages: Sequence[Message]) -> None:
        self._not_listed.update(message.channel for message in messages)
        await self._run(lambda records: records.put_messages(messages))

    async def message(self, message: str) -> Message | None:
        return await self._run(lambda records: records.message(message))

    async def page(self, channel: str, before: str = "", limit: int = PAGE) -> Page:
        return await self._run(lambda records: records.page(channel, before, limit))

    async def after(self, channel: str, seen: str, limit: int = PAGE) -> tuple[Message, ...]:
        return await self._run(lambda records: records.after(channel, seen, limit))

    async def following(self, channel: str, after: str = "", limit: int = PAGE) -> tuple[Message, ...]:
        return await self._run(lambda records: records.following(channel, after, limit))

    async def search(self, query: str, limit: int = 50, channel: str = "", before: str = "") -> SearchResult:
        self._check_open()
        return await self._search.find(query, limit, channel, before)

    async def newest_message(self) -> str:
        """See `Source`; so for the three that follow."""
        return await self._run(Records.newest_message)

    async def ids(self, after: str, limit: int) -> Sequence[str]:
        return await self._run(lambda records: records.ids(after, limit))

    async def ids_before(self, before: str, limit: int) -> Sequence[str]:
        return await self._run(lambda records: records.ids_before(before, limit))

    async def messages(self, ids: Sequence[str]) -> Sequence[Message]:
        return await self._run(lambda records: records.messages(ids))

    async def last_answerer(self, channel: str) -> str:
        return await self._run(lambda records: records.last_answerer(channel))

    async def last_read(self, channel: str) -> str:
        return await self._run(lambda records: records.last_read(channel))

    async def put_last_read(self, channel: str, message: str) -> None:
        await self._run(lambda records: records.put_last_read(channel, message))

    async def unread(self, channel: str, limit: int = PAGE) -> int:
        return await self._run(lambda records: records.unread(channel, limit))

    async def unread_counts(self, limit: int = PAGE) -> dict[str, int]:
        return await self._run(lambda records: records.unread_counts(limit))

    async def commands(self) -> dict[str, tuple[Command, ...]]:
        return await self._run(Records.commands)

    async def put_commands(self, agent: str, commands: tuple[Command, ...]) -> None:
        await self._run(lambda records: records.put_commands(agent, commands))

    async def rules(self) -> tuple[PermissionRule, ...]:
        return await self._run(Records.rules)

    async def put_rule(self, rule: PermissionRule) -> None:
        await self._run(lambda records: records.put_rule(rule))

    async def delete_rule(self, agent: str, kind: ToolKind) -> None:
        await self._run(lambda records: records.delete_rule(agent, kind))

    async def close(self) -> None:
        if self._closing:
            return
        self._closing = True
        await self._tasks.close()
        await self._search.close()
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._worker, self._store.close)
        self._worker.shutdown()

    def _check_open(self) -> None:
        if self._closed:
            raise HistoryError("The history is closed.")

    async def _run(self, call: Callable[[Records], T]) -> T:
        self._check_open()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._worker, self._store.run, call)
        except OSError as error:
            raise HistoryError(f"The history can't be read or written: {reason(error)}.") from error
        except Exception as error:
            # The binding's errors are of a class that is known only when it is imported.
            raise HistoryError(f"The history can't be used: {reason(error)}.") from error
        finally:
            if self._store.problem != self._told:
                self._told = self._store.problem
                self._search.fell_behind()
                self._on_problem(self._told)


def _delete_some(channel: str, after: str, records: Records) -> str | None:
    return records.delete_messages(channel, after, DELETED_AT_ONCE) or None
