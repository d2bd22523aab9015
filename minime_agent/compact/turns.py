"""Where turns begin. A history is only ever cut there, so that no tool call loses its result."""

from __future__ import annotations

from collections.abc import Sequence

from minime_agent.engine.messages import Message


def turn_starts(history: Sequence[Message]) -> list[int]:
    """The positions of the questions."""
    return [position for position, message in enumerate(history) if message.role == "user"]


def recent(history: Sequence[Message], turns: int) -> int:
    """Where the last `turns` turns begin; 0 when there are no more than these."""
    if turns == 0:
        return len(history)
    starts = turn_starts(history)
    return starts[-turns] if turns < len(starts) else 0


def newest_calls(history: Sequence[Message]) -> int:
    """Where the last answer with tool calls stands: what came back for it is what the model works on."""
    called = (n for n in range(len(history) - 1, -1, -1) if history[n].tool_calls)
    return next(called, 0)
