"""One agent's session in one channel: what it tells goes to the turn that runs, what it asks to the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sidekicks.acp.changes import (
    Change,
    CommandsReplaced,
    NoticeTold,
    PermissionAsked,
    TextAdded,
    UsageReported,
)
from sidekicks.acp.client import AgentClient
from sidekicks.acp.errors import AgentRefusedError
from sidekicks.acp.session import AgentSession
from sidekicks.bus import Bus
from sidekicks.channels.permissions import Permissions, answer_of
from sidekicks.channels.turns import Turn
from sidekicks.events import AgentLog, UsageChanged
from sidekicks.models import Command, PermissionRequest, Policy, Usage


class Desk(Protocol):
    """Where a session reports what is not part of an answer that runs."""

    bus: Bus
    permissions: Permissions

    def new_id(self) -> str:
        """A fresh id."""
        ...

    def policy(self, agent: str) -> Policy:
        """What the agent may do without asking."""
        ...

    def announced(self, agent: str, commands: tuple[Command, ...]) -> None:
        """The agent announced its commands."""
        ...

    def late(self, turn: Turn) -> None:
        """More of an answer came after its end."""
        ...


class ChannelSession:
    """The listener of an agent's session.

    `fresh`: it has not been given anything of the channel yet. `stopping`: its turn was cancelled.
    """

    def __init__(
        self, channel: str, agent: str, client: AgentClient, desk: Desk, on_usage: Callable[[Usage], None]
    ) -> None:
        self.client = client
        self.fresh = True
        self.turn: Turn | None = None
        self.stopping = False
        self._channel = channel
        self.agent = agent
        self._desk = desk
        self._on_usage = on_usage
        self._rejections = 0
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
            except AgentRefusedError:
                self.fresh = True  # it has lost it: a new one is given the channel's past instead
            else:
                self.fresh = False
                return
        self._session = await self.client.new_session(cwd, servers, self)

    def begin(self, turn: Turn) -> None:
        """From now on what the agent tells belongs to `turn`."""
        self.turn = turn
        self.stopping = False
        self._rejections = 0

    def close(self) -> None:
        """What the agent still tells is of no interest any more."""
        self.turn = None
        if self._session is not None:
            self.client.forget(self._session)

    def changed(self, change: Change) -> None:
        """Takes what the agent tells, in order."""
        match change:
            case CommandsReplaced(commands=commands):
                self._desk.announced(self.agent, commands)
            case UsageReported(usage=usage):
                self._on_usage(usage)
                self._desk.bus.publish(UsageChanged(channel=self._channel, agent=self.agent, usage=usage))
            case NoticeTold(text=text, warning=False):
                self._desk.bus.publish(AgentLog(agent=self.agent, line=text))
            case NoticeTold(text=text):
                self._add(TextAdded(text=f"\n\n> ⚠ {text}\n\n"))
            case _:
                self._add(change)

    def _add(self, change: Change) -> None:
        if self.turn is None:
            return
        delta = self.turn.apply(change)
        if delta is not None:
            self._desk.bus.publish(delta)
            if self.turn.done:
                self._desk.late(self.turn)

    async def asked(self, question: PermissionAsked) -> str | None:
        """Shows the call, and asks the user unless the definition answers."""
        turn = self.turn
        if turn is None or turn.done or self.stopping:
            return None
        self._add(question.tool)
        tool = turn.tool(question.tool.id)
        if tool is None:
            return None
        by_itself = answer_of(self._desk.policy(self.agent), tool.kind, question.options)
        if by_itself is not None:
            return by_itself
        chosen = await self._desk.permissions.ask(
            PermissionRequest(
                id=self._desk.new_id(),
                channel=self._channel,
                agent=self.agent,
                message_id=turn.id,
                tool_call=tool,
                options=question.options,
                rejections=self._rejections,
            )
        )
        kinds = {option.option_id: option.kind for option in question.options}
        if chosen is not None and kinds[chosen].startswith("reject"):
            self._rejections += 1
        return chosen
