"""One conversation of a connection: its engine, its permissions, the turns that wait for each other."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from minime_agent.acp.permission import Permissions
    from minime_agent.config.settings import Thinking
    from minime_agent.engine.library import WrittenCommand
    from minime_agent.engine.recorder import Recorder
    from minime_agent.ui.events import Sink


class Outcome(Protocol):
    """How a turn ended."""

    @property
    def stop(self) -> str:
        """The protocol's stop reason."""
        ...


class Engine(Protocol):
    """A conversation as this façade needs it; `engine.session.Session` is one."""

    async def prompt(self, text: str, sink: Sink) -> Outcome:
        """Runs one turn; cancelling the caller stops it."""
        ...

    async def compact(self, sink: Sink, instructions: str = "") -> None:
        """Makes room in the context window now."""
        ...

    @property
    def model(self) -> str:
        """The name of the model that was chosen; empty for the server's first."""
        ...

    @property
    def answering(self) -> str:
        """The name of the model that answers; empty until the server has named it."""
        ...

    async def models(self) -> Sequence[str]:
        """The models to choose from."""
        ...

    async def choose_model(self, name: str) -> None:
        """Goes on with another model; empty: the server's first."""
        ...

    @property
    def thinking(self) -> Thinking:
        """Whether the model is to reason."""
        ...

    async def choose_thinking(self, value: Thinking) -> None:
        """Lets the model reason, or not."""
        ...

    @property
    def commands(self) -> Sequence[WrittenCommand]:
        """The slash commands that a prompt may begin with."""
        ...

    async def close(self) -> None:
        """Lets go of the model."""
        ...


class Conversation:
    """A session of this connection; its turns run one after the other. `recorder` keeps it on the disk."""

    def __init__(self, engine: Engine, permissions: Permissions, recorder: Recorder | None) -> None:
        self.engine = engine
        self.permissions = permissions
        self.recorder = recorder
        self.title = recorder.title if recorder else ""
        self.call_numbers = itertools.count(1)
        self.models: Sequence[str] = ()
        self.answering = engine.answering
        self.turns: set[asyncio.Task[str]] = set()
        self.lock = asyncio.Lock()

    def stop(self) -> None:
        """Stops the turn that runs and those that wait for it."""
        for turn in self.turns:
            turn.cancel()

    async def end(self) -> None:
        """Stops everything, lets go of the model and of the session's file."""
        self.stop()
        if self.turns:
            await asyncio.wait(self.turns)
        await self.engine.close()
        if self.recorder is not None:
            self.recorder.close()
