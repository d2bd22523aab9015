"""One agent's session in one channel: what it tells goes to the turn that runs, what it asks to the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from sidekicks.acp.changes import (
    Change,
    CommandsReplaced,
    NoticeTold,
    OptionsReplaced,
    PermissionAsked,
    TerminalWrote,
    Titled,
    ToolChanged,
    UsageReported,
)
from sidekicks.acp.elicitation import Form, FormAnswer
from sidekicks.acp.errors import AgentRefusedError, LoginNeededError
from sidekicks.acp.session import AgentSession
from sidekicks.agents.elicitations import Elicitations
from sidekicks.bus import Bus
from sidekicks.channels.asking import Asking, Judge
from sidekicks.channels.turns import Turn
from sidekicks.events import AgentLog
from sidekicks.history.port import Member
from sidekicks.models import Command, SessionOption

if TYPE_CHECKING:
    from sidekicks.acp.client import AgentClient

WARNINGS = 20
"""Different warnings of a session that are shown in its channel; more are in the agent's log alone."""

FORGOTTEN = "it took the session up, but knows nothing of what was said in it"
"""Why a session is lost although the agent says that it has loaded it."""


class Told(Protocol):
    """Who keeps what an agent says of its session in this channel."""

    def take(self, fact: UsageReported | OptionsReplaced | Titled) -> None:
        """Takes what the agent said."""
        ...


class Desk(Judge, Protocol):
    """Where a session reports what is not part of an answer that runs."""

    bus: Bus
    elicitations: Elicitations

    def announced(self, agent: str, commands: tuple[Command, ...]) -> None:
        """The agent announced its commands."""
        ...

    def late(self, turn: Turn) -> None:
        """More of an answer came after its end."""
        ...


class ChannelSession:
    """The listener of an agent's session.

    `fresh`: it has not been given anything of the channel yet. `used`: it was prompted. `stopping`: its turn
    was cancelled. `lost`: why the session of a former run could not be taken up, else empty. `seen` and
    `chosen` are what is kept of the member. With `only`, the member's session will do and no other; its past
    goes to `replay`, if that is set. `on_heard` is called at any sign of life of the agent, `on_warning` with
    what the user should know.
    """

    def __init__(
        self,
        channel: str,
        member: Member,
        client: AgentClient,
        desk: Desk,
        *,
        facts: Told,
        on_heard: Callable[[], None],
        on_warning: Callable[[str], None],
    ) -> None:
        self.client = client
        self.fresh = True
        self.lost = ""
        self.turn: Turn | None = None
        self.stopping = False
        self.agent = member.agent
        self.seen = member.seen
        self.chosen = dict(member.chosen)
        self.used = False
        self.only = False
        self.replay: Callable[[Change], None] | None = None
        self._channel = channel
        self._former = member
        self._desk = desk
        self._facts = facts
        self._on_heard = on_heard
        self._on_warning = on_warning
        self._warned: set[str] = set()
        self._asking = Asking(channel, member.agent, desk)
        self._session: AgentSession | None = None
        self._telling: asyncio.TimerHandle | None = None

    @property
    def session(self) -> AgentSession:
        """The session, once it is open."""
        assert self._session is not None
        return self._session

    @property
    def id(self) -> str:
        """What the agent calls the session."""
        return self.session.id

    @property
    def member(self) -> Member:
        """What is to be kept of the member now. A session in which nothing was said is not worth it."""
        session = self.id
        is_own = self._former.own or session != self._former.session_id
        if not self.used:
            session = ""
        return Member(
            agent=self.agent, session_id=session, seen=self.seen, chosen=dict(self.chosen), own=is_own
        )

    async def open(self, cwd: str, servers: tuple[dict[str, object], ...]) -> None:
        """Goes on with the member's session of a former run if the agent can, else makes a new one.

        Raises:
            AgentFailureError: there is no session.
        """
        known = self._former.session_id
        if known and self.client.can_take_up:
            try:
                replay = self.replay is not None
                self._session = await self.client.take_up(known, cwd, servers, self, replay=replay)
            except LoginNeededError:
                raise  # the session is there for whoever has logged in
            except AgentRefusedError as error:
                if self.only:
                    raise
                self.lost = str(error)  # a new one is given the channel's past instead
            else:
                self.used = True
                self.fresh = not self.only and not self._session.remembers
                if self.fresh:
                    self.lost = FORGOTTEN
                return
        self.seen = ""
        self._session = await self.client.new_session(cwd, servers, self)

    def begin(self, turn: Turn) -> None:
        """From now on what the agent tells belongs to `turn`."""
        self._stop_telling()
        self.turn = turn
        self.stopping = False
        self._asking.begin()

    async def apply_choices(self) -> bool:
        """Sets the options as the user chose them before; whether a choice was refused, and so forgotten."""
        refused = False
        for option in sorted(self.options, key=lambda option: option.category != "model"):
            value = self.chosen.get(option.id)
            now = next((other.value for other in self.options if other.id == option.id), None)
            if value is None or now is None or value == now:
                continue
            try:
                await self.session.set_option(option.id, value)
            except AgentRefusedError as error:
                refused = True
                del self.chosen[option.id]
                line = f"{option.name} can't be set to {value} as before: {error}"
                self._desk.bus.publish(AgentLog(agent=self.agent, line=line))
        return refused

    @property
    def options(self) -> tuple[SessionOption, ...]:
        """What can be chosen in the session."""
        return self.session.options

    def close(self) -> None:
        """What the agent still tells is of no interest any more; see `leave` of the client."""
        self.turn = None
        self._stop_telling()
        if self._session is not None:
            self.client.forget(self._session)

    def _stop_telling(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None

    def changed(self, change: Change) -> None:
        """Takes what the agent tells, in order."""
        self._on_heard()
        match change:
            case CommandsReplaced(commands=commands):
                self._desk.announced(self.agent, commands)
            case UsageReported() | OptionsReplaced() | Titled():
                self._facts.take(change)
            case NoticeTold(text=text, warning=warning):
                self._notice(text, warning=warning)
            case _:
                self._add(change)

    def replayed(self, change: Change) -> None:
        """Takes what was said before, where that is wanted."""
        if self.replay is not None:
            self.replay(change)

    async def elicited(self, form: Form) -> FormAnswer:
        """Asks the user, unless the turn is being stopped."""
        self._on_heard()
        if self.stopping:
            return FormAnswer(action="cancel")
        try:
            return await self._desk.elicitations.ask(self._channel, self.agent, form)
        finally:
            self._on_heard()  # it was the user who let it wait

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
        turn, delta = self.turn, self.turn.apply(change)
        if delta is not None:
            self._desk.bus.publish(delta)
        self._tell_rest_of(turn)
        is_kept = not isinstance(change, TerminalWrote)  # a server writes on and on; its end is kept
        if turn.done and is_kept and (delta is not None or turn.untold_for() is not None):
            self._desk.late(turn)

    def _tell_rest_of(self, turn: Turn) -> None:
        """Sees to it that what an output has grown by is told soon."""
        seconds = turn.untold_for()
        if seconds is not None and self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(seconds, self._tell_now, turn)

    def _tell_now(self, turn: Turn) -> None:
        self._telling = None
        for delta in turn.rest():
            self._desk.bus.publish(delta)
        self._tell_rest_of(turn)
