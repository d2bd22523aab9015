"""A history in LevelDB. Calls run on a thread of its own: a compaction never holds up the event loop."""

# ruff: noqa: D102 - the protocol has the docstrings

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from sidekicks.files import make_private
from sidekicks.history.driver import Database, Driver, reason
from sidekicks.history.migrate import migrate
from sidekicks.history.port import PAGE, HistoryError, Member
from sidekicks.history.records import Records
from sidekicks.history.repair import finish_interrupted, has_lost_its_index, repair_into_copy
from sidekicks.models import Channel, Command, Message, Page, PermissionRule, ToolKind

T = TypeVar("T")


class LevelStore:
    """An open database that comes back from damage and from a failed write; for one thread."""

    def __init__(self, driver: Driver, folder: Path) -> None:
        self._driver = driver
        self._folder = folder
        self._database: Database | None = None
        self.problem = ""

    def open(self) -> None:
        """Opens the store: made when there is none, repaired when damaged, brought to the newest format."""
        finish_interrupted(self._folder)
        make_private(self._folder)
        if has_lost_its_index(self._folder):
            self._repair()
        try:
            self._open()
        except self._driver.damaged:
            self._repair()
            self._open()

    def run(self, call: Callable[[Records], T]) -> T:
        """The answer of `call`. After damage it is asked again of the repaired store, else once more anew.

        LevelDB takes no more writes after one that failed, until it is opened again.
        """
        try:
            return self._call(call)
        except self._driver.damaged:
            self.close()
            self._repair()
        except self._driver.failed:
            self.close()
        self._open()
        return self._call(call)

    def close(self) -> None:
        """Closes the database and gives its lock back."""
        if self._database is not None:
            self._database.close()
            self._database = None

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


class LevelHistory:
    """A `History` on a `LevelStore`. `on_problem` is called in the event loop when it had to be repaired."""

    def __init__(
        self, store: LevelStore, worker: ThreadPoolExecutor, on_problem: Callable[[str], None]
    ) -> None:
        self._store = store
        self._worker = worker
        self._on_problem = on_problem
        self._told = store.problem
        self._closed = False
        self._newest_id = ""

    @classmethod
    async def open(cls, driver: Driver, folder: Path, on_problem: Callable[[str], None]) -> LevelHistory:
        """Opens the store in `folder`. Raises what the binding and the file system raise."""
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="history")
        history = cls(LevelStore(driver, folder), worker, on_problem)
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(worker, history._store.open)
            history._told = history._store.problem
            history._newest_id = await history._run(Records.newest_id)
        except BaseException:
            await history.close()
            raise
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

    async def delete_channel(self, channel: str) -> None:
        await self._run(lambda records: records.delete_channel(channel))

    async def members(self, channel: str) -> dict[str, Member]:
        return await self._run(lambda records: records.members(channel))

    async def put_member(self, channel: str, member: Member) -> None:
        await self._run(lambda records: records.put_member(channel, member))

    async def delete_member(self, channel: str, agent: str) -> None:
        await self._run(lambda records: records.delete_member(channel, agent))

    async def put_message(self, message: Message, member: Member | None = None) -> None:
        await self._run(lambda records: records.put_message(message, member))

    async def message(self, message: str) -> Message | None:
        return await self._run(lambda records: records.message(message))

    async def page(self, channel: str, before: str = "", limit: int = PAGE) -> Page:
        return await self._run(lambda records: records.page(channel, before, limit))

    async def after(self, channel: str, seen: str, limit: int = PAGE) -> tuple[Message, ...]:
        return await self._run(lambda records: records.after(channel, seen, limit))

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
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._worker, self._store.close)
            self._worker.shutdown()

    async def _run(self, call: Callable[[Records], T]) -> T:
        if self._closed:
            raise HistoryError("The history is closed.")
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
                self._on_problem(self._told)
