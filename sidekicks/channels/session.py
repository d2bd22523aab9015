"""One agent's session in one channel: what it tells goes to the turn that runs, what it asks to the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sidekicks.acp.changes import (
    Change,
    CommandsReplaced,
    NoticeTold,
    PermissionAsked,
    ToolChanged,
    UsageReported,
)
from sidekicks.acp.client import AgentClient
from sidekicks.acp.errors import AgentRefusedError
from sidekicks.acp.session import AgentSession
from sidekicks.bus import Bus
from sidekicks.channels.asking import Asking, Judge
from sidekicks.channels.turns import Turn
from sidekicks.events import AgentLog, UsageChanged
from sidekicks.models import Command, Usage

WARNINGS = 20
"""Different warnings of a session that are shown in its channel; more are in the agent's log alone."""


class Desk(Judge, Protocol):
    """Where a session reports what is not part of an answer that runs."""

    bus: Bus

    def announced(self, agent: str, commands: tuple[Command, ...]) -> None:
        """The agent announced its commands."""
        ...

    def late(self, turn: Turn) -> None:
        """More of an answer came after its end."""
        ...


class ChannelSession:
    """The listener of an agent's session.

    `fresh`: it has not been given anything of the channel yet. `stopping`: its turn was cancelled. `lost`:
    why the session of a former run could not be taken up, else empty. `on_heard` is called at any sign of
    life of the agent, `on_warning` with what the user should know.
    """

    def __init__(
        self,
        channel: str,
        agent: str,
        client: AgentClient,
        desk: Desk,
        *,
        on_usage: Callable[[Usage], None],
        on_heard: Callable[[], None],
        on_warning: Callable[[str], None],
    ) -> None:
        self.client = client
        self.agent = agent
        self.fresh = True
        self.lost = ""
        self.turn: Turn | None = None
        self.stopping = False
        self._channel = channel
        self._desk = desk
        self._on_usage = on_usage
        self._on_heard = on_heard
        self._on_warning = on_warning
        self._warned: set[str] = set()
        self._asking = Asking(channel, agent, desk)
        self._session: AgentSession | None = None

    @property
    def session(self) -> AgentSession:
        """The session, once it is open."""
        assert self._session is not None
        return self._session

    async def open(self, known: str, cwd: str, servers: tuple[dict[str, object], ...]) -> None:
        """Goes on with the session `known` of a former run if the agent can, else makes a new one.

        Raises:
            AgentFailureError: there is no session.
        """
        if known and self.client.can_take_up:
            try:
                self._session = await self.client.take_up(known, cwd, servers, self)
            except AgentRefusedError as error:
                self.lost = str(error)  # a new one is given the channel's past instead
            else:
                self.fresh = False
                return
        self._session = await self.client.new_session(cwd, servers, self)

    def begin(self, turn: Turn) -> None:
        """From now on what the agent tells belongs to `turn`."""
        self.turn = turn
        self.stopping = False
        self._asking.begin()

    def close(self) -> None:
        """What the agent still tells is of no interest any more."""
        self.turn = None
        if self._session is not None:
            self.client.forget(self._session)

    def changed(self, change: Change) -> None:
        """Takes what the agent tells, in order."""
        self._on_heard()
        match change:
            case CommandsReplaced(commands=commands):
                self._desk.announced(self.agent, commands)
            case UsageReported(usage=usage):
                self._on_usage(usage)
                self._desk.bus.publish(UsageChanged(channel=self._channel, agent=self.agent, usage=usage))
            case NoticeTold(text=text, warning=warning):
                self._notice(text, warning=warning)
            case _:
                self._add(change)

    async def asked(self, question: PermissionAsked) -> str | None:
        """Shows the call, and asks the user unless the definition or a remembered answer decides."""
        self._on_heard()
        turn = self.turn
        if turn is None or turn.done or self.stopping:
            return None
        self._add(question.tool)
        try:
            chosen = await self._asking.ask(turn, question, lambda: turn.done or self.stopping)
        finally:
            self._on_heard()  # it was the user who let it wait
        now = turn.tool(question.tool.id)
        if self._asking.is_allowed(question.tool.id) and now is not None and now.status == "pending":
            # Some agents say nothing more of a call until it has ended.
            self._apply(ToolChanged(id=now.id, status="in_progress"))
        return chosen

    def _notice(self, text: str, *, warning: bool) -> None:
        """Some agents repeat a warning in every turn: it is shown once, and is no part of an answer."""
        if warning and text not in self._warned and len(self._warned) < WARNINGS:
            self._warned.add(text)
            self._on_warning(text)
        else:
            self._desk.bus.publish(AgentLog(agent=self.agent, line=text))

    def _add(self, change: Change) -> None:
        self._apply(change)
        if isinstance(change, ToolChanged) and self.turn is not None:
            now = self.turn.tool(change.id)
            if now is not None and (warning := self._asking.changed(now, change.status)):
                self._on_warning(warning)

    def _apply(self, change: Change) -> None:
        if self.turn is None:
            return
        delta = self.turn.apply(change)
        if delta is not None:
            self._desk.bus.publish(delta)
            if self.turn.done:
                self._desk.late(self.turn)
