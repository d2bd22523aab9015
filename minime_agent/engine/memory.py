"""What one turn hands to the next of its session, and what no turn of it may change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from minime_agent.compact import size
from minime_agent.compact.plan import Compaction
from minime_agent.compact.size import Gauge
from minime_agent.config.settings import Settings
from minime_agent.detector.repeats import RepeatDetector
from minime_agent.engine.backoff import Backoff
from minime_agent.engine.client import ModelClient
from minime_agent.engine.messages import Message
from minime_agent.engine.recorder import Recorder
from minime_agent.engine.request import RequestBuilder
from minime_agent.tools.toolbox import Toolbox
from minime_agent.tools.workspace import Workspace
from minime_agent.ui.events import UsageReport


class Steering(msgspec.Struct, frozen=True):
    """A message that waits for the next model call, as it was `typed` and as the model reads it."""

    typed: str
    text: str


class Memory(msgspec.Struct):
    """The conversation, the files the model has read, the actions it repeats.

    `no_summary_at` is the size in tokens at which no summary could be made last, `refused_at` the one of a
    request that was too large for the server; 0 when there was none.
    `recorder` keeps the conversation beyond the process; None for one that is not kept.
    """

    workspace: Workspace
    history: list[Message]
    detector: RepeatDetector = msgspec.field(default_factory=RepeatDetector)
    template_opens_think: bool = False
    warm_calls: int = 0
    """Model calls that are still to run at a higher temperature, after a repetition."""
    gauge: Gauge = msgspec.field(default_factory=Gauge)
    no_summary_at: int = 0
    refused_at: int = 0
    recorder: Recorder | None = None
    usage: UsageReport | None = None
    """The server's counts for the newest answer."""
    advised: set[str] = msgspec.field(default_factory=set[str])
    """The advice that the person was given already."""
    steering: list[Steering] = msgspec.field(default_factory=list[Steering])
    """What the person typed while a turn runs, for the next model call."""

    def add(self, message: Message) -> None:
        """Takes what was said or done; it is kept at once."""
        self.history.append(message)
        self.save()

    def save(self) -> None:
        """Keeps the history as it is now."""
        if self.recorder is not None:
            self.recorder.save(self.history)

    def compact(self, plan: Compaction, tokens: int) -> None:
        """Makes room as planned in a history of so many tokens; the plan is kept with it."""
        self.history[:] = plan.apply(self.history)
        if self.recorder is not None:
            self.recorder.compacted(plan, self.history, tokens)


class Ground(msgspec.Struct, frozen=True):
    """The model and what goes with it. Settled at the first prompt: later requests begin with the same bytes.

    `window` gives the context window in tokens, 0 while it is unknown; `learn_window` takes the one that a
    refusal names.
    """

    settings: Settings
    client: ModelClient
    requests: RequestBuilder
    system: str
    toolbox: Toolbox
    window: Callable[[], Awaitable[int]]
    learn_window: Callable[[int], None]
    backoff: Backoff

    @property
    def prompt_tokens(self) -> int:
        """What every request costs before the first question, in tokens, guessed from its bytes."""
        return size.text_tokens(self.requests.body(self.system, []))
