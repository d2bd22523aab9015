"""A channel service over real agents and a real store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from sidekicks.history.open import open_history
from tests.talk import Talk

NewTalk = Callable[[], Awaitable[Talk]]


@pytest.fixture
async def new_talk(tmp_path: Path) -> AsyncIterator[NewTalk]:
    """Opens the store anew, as after a restart: the former must have been closed."""
    talks: list[Talk] = []

    async def new() -> Talk:
        history, problem = await open_history(tmp_path / "store")
        assert problem == ""
        talk = Talk(history)
        talks.append(talk)
        await talk.channels.load()
        return talk

    yield new
    for talk in talks:
        await talk.close()


@pytest.fixture
async def talk(new_talk: NewTalk) -> Talk:
    return await new_talk()
