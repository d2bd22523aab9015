"""How an agent's state changes: the whole table, as one pure function."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sidekicks.models import AgentState

Happening: TypeAlias = Literal[
    "start", "handshake", "failure", "use", "release", "stop", "idle", "evict", "exit"
]
"""What can happen to an agent.

start: a start was asked for, or the first use; handshake: it succeeded; failure: it did not, in time or at
all; use, release: the first user came, the last one went; stop: it was asked to stop, was removed or the app
closes; idle: unused for too long; evict: another one needs its place; exit: the process ended by itself.
"""

TABLE: dict[tuple[AgentState, Happening], AgentState] = {
    ("stopped", "start"): "starting",
    ("error", "start"): "starting",
    ("starting", "handshake"): "ready",
    ("starting", "failure"): "error",
    ("starting", "stop"): "stopped",
    ("ready", "use"): "busy",
    ("busy", "release"): "ready",
    ("ready", "stop"): "stopped",
    ("busy", "stop"): "stopped",
    ("ready", "idle"): "stopped",
    ("ready", "evict"): "stopped",
    ("ready", "exit"): "error",
    ("busy", "exit"): "error",
}
"""A stop asked for while starting takes effect when the start is over."""


class ForbiddenTransitionError(Exception):
    """Something happened to an agent that can't happen in its state: a bug."""


def after(state: AgentState, happening: Happening) -> AgentState:
    """The state that follows.

    Raises:
        ForbiddenTransitionError: the table has no such row.
    """
    try:
        return TABLE[state, happening]
    except KeyError:
        raise ForbiddenTransitionError(f"{happening} can't happen to an agent that is {state}") from None
