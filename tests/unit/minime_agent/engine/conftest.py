from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from minime_agent.config.check import convert
from minime_agent.engine.backoff import Backoff
from minime_agent.engine.session import Session
from tests.scripted_model import Reply, ScriptedModel

Talk = Callable[..., Awaitable[tuple[ScriptedModel, Session]]]


@pytest.fixture(autouse=True)
def nobodys_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which nothing of the person who runs the tests counts."""
    home = tmp_path_factory.mktemp("home")
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(home))
    for folder in ("CONFIG", "DATA", "STATE"):
        monkeypatch.delenv(f"XDG_{folder}_HOME", raising=False)
    return home


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    """Makes a server with the given replies and a session on it; settings by their names in the file."""
    async with AsyncExitStack() as stack:

        async def make(
            replies: Sequence[Reply] | None, server: ScriptedModel | None = None, **settings: Any
        ) -> tuple[ScriptedModel, Session]:
            model = await stack.enter_async_context(server or ScriptedModel(replies))
            session = Session(
                convert({"baseURL": model.url, **settings}), tmp_path, backoff=Backoff((0, 0), (0, 0, 0))
            )
            stack.push_async_callback(session.close)
            return model, session

        yield make
