"""What is kept besides finished answers: notes of the system, late parts of answers, agents' commands."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime

import msgspec

from sidekicks.bus import Bus
from sidekicks.channels.turns import Turn
from sidekicks.events import CommandsChanged, MessageUpdated
from sidekicks.history.port import History, HistoryError
from sidekicks.ids import Ids
from sidekicks.models import Command, Message, SystemCode
from sidekicks.tasks import Tasks

log = logging.getLogger(__name__)

LATE_SECONDS = 0.1
"""What comes after the end of an answer is stored together, this long after it began to come."""


class Keeping:
    """Stores what comes by the way, and tells it. `commands` are the last ones of each agent."""

    def __init__(self, bus: Bus, history: History, ids: Ids, now: Callable[[], datetime]) -> None:
        self.commands: dict[str, tuple[Command, ...]] = {}
        self._bus = bus
        self._history = history
        self._ids = ids
        self._now = now
        self._tasks = Tasks()
        self._late: dict[str, Turn] = {}
        self._unkept: dict[str, tuple[Command, ...]] = {}
        self._deleted: set[str] = set()

    async def note(
        self, channel: str, code: SystemCode, agent: str = "", error: str = "", *, id_: str = ""
    ) -> None:
        """Adds a system message; it is shown also when it can't be kept.

        `id_` says where it stands, else it is the newest. Of a deleted channel nothing is noted any more.
        """
        if channel in self._deleted:
            return
        message = Message(
            id=id_ or self._ids.new(),
            channel=channel,
            created_at=self._now(),
            role="system",
            agent=agent,
            code=code,
            error=error,
        )
        try:
            await self._history.put_message(message)
        except HistoryError as problem:
            both = dict.fromkeys(said for said in (error, str(problem)) if said)
            message = msgspec.structs.replace(message, error="\n".join(both))
        self._bus.publish(MessageUpdated(channel=channel, message=message))

    def noted(self, channel: str, code: SystemCode, agent: str, error: str, *, id_: str = "") -> None:
        """Adds a system message, for whoever can't wait for it."""
        self._tasks.start(self.note(channel, code, agent, error, id_=id_), f"note of {agent}")

    def announced(self, agent: str, commands: tuple[Command, ...]) -> None:
        """Keeps the agent's commands from one run to the next, and tells them."""
        if self.commands.get(agent) == commands:
            return
        self.commands[agent] = self._unkept[agent] = commands
        self._tasks.start(self._keep_commands(agent), f"keep the commands of {agent}")
        self._bus.publish(CommandsChanged(agent=agent, commands=commands))

    def late(self, turn: Turn) -> None:
        """Stores what came after the end of an answer, once for all that comes together."""
        if turn.id not in self._late:
            self._late[turn.id] = turn
            self._tasks.start(self._store_soon(turn), "late part of an answer")

    def forget(self, channel: str) -> None:
        """The channel is deleted: nothing of it may be stored any more."""
        self._deleted.add(channel)

    def take_back(self, channel: str) -> None:
        """The channel could not be deleted after all."""
        self._deleted.discard(channel)

    async def close(self) -> None:
        """Keeps at once what was about to be kept."""
        await self._tasks.close()
        for turn in tuple(self._late.values()):
            await self._store_late(turn)
        for agent in tuple(self._unkept):
            await self._keep_commands(agent)

    async def _keep_commands(self, agent: str) -> None:
        commands = self._unkept.pop(agent, None)
        if commands is not None:
            try:
                await self._history.put_commands(agent, commands)
            except HistoryError as error:
                log.warning("the commands of %s are not kept: %s", agent, error)

    async def _store_soon(self, turn: Turn) -> None:
        await asyncio.sleep(LATE_SECONDS)
        await self._store_late(turn)

    async def _store_late(self, turn: Turn) -> None:
        self._late.pop(turn.id, None)
        message = turn.message()
        if message.channel in self._deleted:
            return
        try:
            await self._history.put_message(message)
        except HistoryError as error:
            log.warning("the late part of an answer is not kept: %s", error)
        self._bus.publish(MessageUpdated(channel=message.channel, message=message))
