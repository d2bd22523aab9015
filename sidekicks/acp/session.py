"""One session of an agent: prompts go in, changes and questions come out."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol, TypeVar

import msgspec

from minime_agent.acp.wire.client_side import RemoteAgent
from minime_agent.acp.wire.content import TextContent
from minime_agent.acp.wire.errors import ConnectionClosedError, WireError
from minime_agent.acp.wire.handshake import AuthMethod
from minime_agent.acp.wire.services import TerminalExitStatus
from minime_agent.acp.wire.sessions import PromptRequest
from minime_agent.acp.wire.updates import SessionUpdate
from sidekicks.acp.changes import (
    Change,
    CommandsReplaced,
    PermissionAsked,
    TerminalEnded,
    TerminalWrote,
    UsageReported,
)
from sidekicks.acp.errors import AgentGoneError, refused
from sidekicks.acp.translate import translate

T = TypeVar("T")


class SessionListener(Protocol):
    """Who is told what happens in a session."""

    def changed(self, change: Change) -> None:
        """Something changed; in the order in which the agent told it."""
        ...

    async def asked(self, question: PermissionAsked) -> str | None:
        """The id of the chosen option, or None for `cancelled`. Cancelled when the agent withdraws it."""
        ...


class ShownInCall(msgspec.Struct, frozen=True):
    """A tool call that shows a terminal: what the terminal does is a change of the call."""

    listener: SessionListener
    call: str

    def wrote(self, text: str) -> None:
        """The terminal has written this."""
        self.listener.changed(TerminalWrote(id=self.call, text=text))

    def ended(self, status: TerminalExitStatus) -> None:
        """Its command has ended."""
        self.listener.changed(
            TerminalEnded(id=self.call, exit_code=status.exit_code, signal=status.signal or "")
        )


class AgentSession:
    """A session with one agent. `replaying`: the agent tells of the past, until the session is `opened`."""

    def __init__(
        self,
        agent: RemoteAgent,
        session_id: str,
        cwd: str,
        listener: SessionListener,
        *,
        methods: tuple[AuthMethod, ...] = (),
        replaying: bool = False,
    ) -> None:
        self.id = session_id
        self.cwd = cwd
        self.listener = listener
        self.replaying = replaying
        self._agent = agent
        self._methods = methods

    @property
    def folders(self) -> tuple[str, ...]:
        """Where its agent may read, write and run commands, the working folder first."""
        return (self.cwd,)

    async def prompt(self, text: str) -> str:
        """Runs one turn; its stop reason. All of its updates were told when this returns.

        Raises:
            AgentRefusedError, AgentGoneError: the turn ended without a stop reason.
        """
        request = PromptRequest(session_id=self.id, prompt=(TextContent(text=text),))
        return (await ask(self._agent.prompt(request), self._methods)).stop_reason

    async def cancel(self) -> None:
        """Asks for the end of the turn. Pending questions must have been answered before.

        Raises:
            AgentGoneError: nobody is there any more.
        """
        await ask(self._agent.cancel(self.id))

    def opened(self) -> None:
        """The agent has taken the session up: from now on it tells what happens."""
        self.replaying = False

    def updated(self, update: SessionUpdate) -> None:
        """Takes an update. While the past is replayed, only what is true now is told."""
        change = translate(update)
        if change is None or (self.replaying and not isinstance(change, CommandsReplaced | UsageReported)):
            return
        self.listener.changed(change)


async def ask(call: Awaitable[T], methods: tuple[AuthMethod, ...] = ()) -> T:
    """The answer of a call.

    Raises:
        AgentGoneError, AgentRefusedError: there is none, with a sentence.
    """
    try:
        return await call
    except ConnectionClosedError as error:
        raise AgentGoneError(str(error)) from error
    except WireError as error:
        raise refused(error, methods) from error
