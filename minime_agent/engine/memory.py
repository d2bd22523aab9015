"""What one turn hands to the next of its session, and what no turn of it may change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from minime_agent.config.settings import Settings
from minime_agent.detector.repeats import RepeatDetector
from minime_agent.engine.backoff import Backoff
from minime_agent.engine.client import ModelClient
from minime_agent.engine.messages import Message
from minime_agent.engine.recorder import Recorder
from minime_agent.engine.request import RequestBuilder
from minime_agent.tools.toolbox import Toolbox
from minime_agent.tools.workspace import Workspace


class Memory(msgspec.Struct):
    """The conversation, the files the model has read, the actions it repeats.

    `recorder` keeps the conversation beyond the process; None for one that is not kept.
    """

    workspace: Workspace
    history: list[Message]
    detector: RepeatDetector = msgspec.field(default_factory=RepeatDetector)
    template_opens_think: bool = False
    warm_calls: int = 0
    """Model calls that are still to run at a higher temperature, after a repetition."""
    recorder: Recorder | None = None

    def add(self, message: Message) -> None:
        """Takes what was said or done; it is kept at once."""
        self.history.append(message)
        self.save()

    def save(self) -> None:
        """Keeps the history as it is now."""
        if self.recorder is not None:
            self.recorder.save(self.history)


class Ground(msgspec.Struct, frozen=True):
    """The model and what goes with it. Settled at the first prompt: later requests begin with the same bytes.

    `window` gives the context window in tokens, 0 while it is unknown.
    """

    settings: Settings
    client: ModelClient
    requests: RequestBuilder
    system: str
    toolbox: Toolbox
    window: Callable[[], Awaitable[int]]
    backoff: Backoff
