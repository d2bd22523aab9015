"""How often a failed request is repeated, and after which pauses: always a bounded number, never at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from minime_agent.engine.errors import ModelError


@dataclass(frozen=True)
class Backoff:
    """Seconds to wait before each repetition of a failed request; their number bounds the repetitions."""

    soon: tuple[float, ...] = (0.5, 2.0)
    loading: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def delays(self, error: ModelError, *, shown: bool) -> tuple[float, ...]:
        """The pauses that this failure is worth; none when it is final.

        `shown`: something of the answer reached the person. Only a server that says itself that it broke off
        is asked again then, once: a turn lost after twenty tool calls is worse than a sentence read twice.
        """
        match error.retry:
            case "soon":
                return () if shown else self.soon
            case "loading":
                return () if shown else self.loading
            case "unshown":
                return () if shown else self.soon[:1]
            case "once":
                return self.soon[:1]
            case "no":
                return ()
