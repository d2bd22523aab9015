"""The table of states: each row, and nothing else."""

from __future__ import annotations

from typing import get_args

import pytest

from sidekicks.agents.state import ForbiddenTransitionError, Happening, after
from sidekicks.models import AgentState

# state: start, handshake, failure, use, release, stop, idle, evict, exit; `-` can't happen.
TABLE = """
stopped   starting -     -     -    -     -       -       -       -
starting  -        ready error -    -     stopped -       -       -
ready     -        -     -     busy -     stopped stopped stopped error
busy      -        -     -     -    ready stopped -       -       error
error     starting -     -     -    -     -       -       -       -
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
PAIRS = [
    (state, happening, following)
    for state, *followings in ROWS
    for happening, following in zip(get_args(Happening), followings, strict=True)
]


def test_every_state_is_in_the_table() -> None:
    assert {row[0] for row in ROWS} == set(get_args(AgentState))


@pytest.mark.parametrize(("state", "happening", "following"), PAIRS)
def test_what_follows(state: AgentState, happening: Happening, following: str) -> None:
    if following == "-":
        with pytest.raises(ForbiddenTransitionError, match=f"{happening}.*{state}"):
            after(state, happening)
    else:
        assert after(state, happening) == following
