"""A conversation with one model in one folder. This is all that a façade needs to know of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from minime_agent.config.settings import Settings
from minime_agent.engine.errors import ModelError
from minime_agent.engine.messages import Message
from minime_agent.ui.events import Sink

StopReason: TypeAlias = Literal["end_turn", "max_tokens", "max_turn_requests", "cancelled"]


class Outcome(msgspec.Struct, frozen=True):
    """How a turn ended, and the answer's whole text.

    `cancelled` here means that the person answered a permission with "cancelled"; a turn that is stopped from
    outside raises `asyncio.CancelledError`.
    """

    stop: StopReason
    text: str


class Session:
    """One conversation: history, folder, settings. Building one reaches no server and loads no model."""

    def __init__(self, settings: Settings, cwd: Path, history: Sequence[Message] = ()) -> None:
        self.settings = settings
        self.cwd = cwd
        self.history: list[Message] = list(history)

    async def prompt(self, text: str, sink: Sink) -> Outcome:
        """Runs one turn: sends `text`, streams what happens to `sink`, runs the tools, returns when done.

        One turn at a time per session. To stop a turn, cancel the task that awaits this: running tools end
        and `asyncio.CancelledError` comes out. In every ending the history is whole (each tool call has its
        result), so the next prompt is valid; only a question that got no answer at all is taken back.

        Raises `ModelError` when the model cannot be reached or used and `Stuck` when it repeats itself; the
        message of either is the sentence for the person.
        """
        raise ModelError("the engine is not there yet")

    async def close(self) -> None:
        """Closes the connection to the model; a later prompt opens it again."""

    async def describe(self) -> str:
        """What the session runs on, in one line: provider, model, address, window. Reaches the server.

        Raises `ModelError` where there is none.
        """
        raise ModelError("the engine is not there yet")
