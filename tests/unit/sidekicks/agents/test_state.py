"""The state table: a test per row of the reference, and per pair that it doesn't have."""

from __future__ import annotations

import itertools
from typing import get_args

import pytest

from sidekicks.agents.state import TABLE, ForbiddenTransitionError, Happening, after
from sidekicks.models import AgentState

ROWS: list[tuple[AgentState, Happening, AgentState]] = [
    ("stopped", "start", "starting"),
    ("error", "start", "starting"),
    ("starting", "handshake", "ready"),
    ("starting", "failure", "error"),
    ("starting", "stop", "stopped"),
    ("ready", "use", "busy"),
    ("busy", "release", "ready"),
    ("ready", "stop", "stopped"),
    ("busy", "stop", "stopped"),
    ("ready", "idle", "stopped"),
    ("ready", "evict", "stopped"),
    ("ready", "exit", "error"),
    ("busy", "exit", "error"),
]
ALLOWED = {(state, happening) for state, happening, _ in ROWS}
FORBIDDEN = [
    pair for pair in itertools.product(get_args(AgentState), get_args(Happening)) if pair not in ALLOWED
]


@pytest.mark.parametrize(("state", "happening", "to"), ROWS)
def test_row(state: AgentState, happening: Happening, to: AgentState) -> None:
    assert after(state, happening) == to


@pytest.mark.parametrize(("state", "happening"), FORBIDDEN)
def test_forbidden(state: AgentState, happening: Happening) -> None:
    with pytest.raises(ForbiddenTransitionError, match=f"{happening}.*{state}"):
        after(state, happening)


def test_every_row_is_tested() -> None:
    assert set(TABLE) == ALLOWED
