"""One session of an agent: prompts and choices go in, changes and questions come out."""

from __future__ import annotations

import asyncio
from typing import Protocol

import msgspec

from minime_agent.acp.wire import sessions, updates
from minime_agent.acp.wire.client_side import RemoteAgent
from minime_agent.acp.wire.handshake import PromptCapabilities
from minime_agent.acp.wire.services import TerminalExitStatus
from sidekicks.acp.calls import Calls
from sidekicks.acp.changes import (
    Change,
    CommandsReplaced,
    OptionsReplaced,
    PermissionAsked,
    TerminalEnded,
    TerminalWrote,
    Titled,
    UsageReported,
)
from sidekicks.acp.compaction import Compactions
from sidekicks.acp.elicitation import Form, FormAnswer
from sidekicks.acp.options import SessionOptions
from sidekicks.acp.prompt import Prompt, prompt_blocks
from sidekicks.acp.translate import translate
from sidekicks.models import SessionOption

_TRUE_NOW = (CommandsReplaced, UsageReported, OptionsReplaced, Titled)
"""Changes that say how things are: they count also while the past is replayed."""


class SessionListener(Protocol):
    """Who is told what happens in a session."""

    def changed(self, change: Change) -> None:
        """Something changed; in the order in which the agent told it."""
        ...

    def replayed(self, change: Change) -> None:
        """Something that was said or done in the past of a session that is taken up."""
        ...

    async def asked(self, question: PermissionAsked) -> str | None:
        """The id of the chosen option, or None for `cancelled`. Cancelled when the agent withdraws it."""
        ...

    async def elicited(self, form: Form) -> FormAnswer:
        """The user's answer to a question. Cancelled when the agent withdraws it."""
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
        calls: Calls,
        takes: PromptCapabilities,
        replaying: bool = False,
    ) -> None:
        self.id = session_id
        self.cwd = cwd
        self.listener = listener
        self.replaying = replaying
        self._agent = agent
        self._calls = calls
        self._takes = takes
        self._options = SessionOptions()
        self._compactions = Compactions()

    @property
    def folders(self) -> tuple[str, ...]:
        """Where its agent may read, write and run commands, the working folder first."""
        return (self.cwd,)

    async def prompt(self, prompt: Prompt | str) -> str:
        """Runs one turn; its stop reason. All of its updates were told when this returns.

        Raises:
            AgentRefusedError, AgentGoneError: the turn ended without a stop reason.
        """
        prompt = Prompt(text=prompt) if isinstance(prompt, str) else prompt
        if prompt.attachments or prompt.links:
            blocks = await asyncio.to_thread(prompt_blocks, prompt, self._takes)
        else:
            blocks = prompt_blocks(prompt, self._takes)
        request = sessions.PromptRequest(session_id=self.id, prompt=blocks)
        return (await self._calls(self._agent.prompt(request), needs_login=True)).stop_reason

    async def cancel(self) -> None:
        """Asks for the end of the turn. Pending questions must have been answered before.

        Raises:
            AgentGoneError: nobody is there any more.
        """
        await self._calls(self._agent.cancel(self.id))

    @property
    def options(self) -> tuple[SessionOption, ...]:
        """What can be chosen, as the agent told it last."""
        return self._options.shown()

    async def set_option(self, option_id: str, value: str | bool) -> None:
        """Chooses a value of an option; the listener is told of all options then.

        Raises:
            AgentRefusedError, AgentGoneError: it can't be chosen.
        """
        match self._options.way(option_id, value):
            case "mode":
                await self._calls(self._agent.set_mode(self.id, str(value)))
                self._options.mode_changed(str(value))
            case "model":
                await self._calls(self._agent.set_model(self.id, str(value)))
                self._options.model_changed(str(value))
            case "config":
                config = await self._calls(self._agent.set_config_option(self.id, option_id, value))
                self._options.replaced(config)
        self._tell_options()

    def opened(self, state: sessions.NewSessionResponse | sessions.SessionState) -> None:
        """The agent has made the session, or taken it up: from now on it tells what happens."""
        self.replaying = False
        self._options.opened(state)
        if self._options.shown():
            self._tell_options()

    def updated(self, update: updates.SessionUpdate) -> None:
        """Takes an update. While the past is replayed, what is true now is told as ever."""
        for change in self._changes(update):
            if self.replaying and not isinstance(change, _TRUE_NOW):
                self.listener.replayed(change)
            else:
                self.listener.changed(change)

    def _changes(self, update: updates.SessionUpdate) -> tuple[Change, ...]:
        match update:
            case updates.CurrentModeUpdate(current_mode_id=mode):
                self._options.mode_changed(mode)
                return (OptionsReplaced(options=self._options.shown()),)
            case updates.ConfigOptionUpdate(config_options=config):
                self._options.replaced(config)
                return (OptionsReplaced(options=self._options.shown()),)
            case updates.CompactionUpdate():
                return self._compactions.changed(update)
            case updates.CompactionSummaryChunk():
                return (self._compactions.chunk(update),)
            case _:
                change = translate(update)
                return () if change is None else (change,)

    def _tell_options(self) -> None:
        self.listener.changed(OptionsReplaced(options=self._options.shown()))
