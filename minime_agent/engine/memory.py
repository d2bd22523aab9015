"""What one turn hands to the next of its session, and what no turn of it may change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from minime_agent.compact.plan import Compaction
from minime_agent.compact.size import Gauge
from minime_agent.config.settings import Settings
from minime_agent.detector.repeats import RepeatDetector
from minime_agent.engine.backoff import Backoff
from minime_agent.engine.client import ModelClient
from minime_agent.engine.messages import Message
from minime_agent.engine.request import RequestBuilder
from minime_agent.tools.toolbox import Toolbox
from minime_agent.tools.workspace import Workspace


class Memory(msgspec.Struct):
    """The conversation, the files the model has read, the actions it repeats.

    `no_summary_at` is the size in tokens at which no summary could be made last, `refused_at` the one of a
    request that was too large for the server; 0 when there was none.
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

    def compact(self, plan: Compaction) -> None:
        """Makes room as planned. Whatever keeps the session has to keep the plan with it."""
        self.history[:] = plan.apply(self.history)


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
