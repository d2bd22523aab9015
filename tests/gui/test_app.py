"""The whole of the window's life: shown at once, filled by the core, closed in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sidekicks import app
from sidekicks.ui.shutdown import Shutdown
from tests.gui.conftest import Drive, until
from tests.gui.stand_in import StandInCore


@pytest.fixture
def front(drive: Drive[Any], tmp_path: Path) -> app.Front:
    return app.make_front(tmp_path)


def test_the_window_is_there_before_the_core_and_gone_when_it_has_closed(
    drive: Drive[Any], front: app.Front
) -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def slow_core() -> AsyncIterator[StandInCore]:
        seen.append("window" if front.window.isVisible() else "nothing")
        yield StandInCore()
        seen.append("window" if front.window.isVisible() else "nothing")

    async def main() -> None:
        shutdown = Shutdown()
        front.window.closing.connect(shutdown.request)
        life = asyncio.ensure_future(app.present(front, slow_core, shutdown))
        await until(lambda: front.window.windowTitle() == "Mini Me — Sidekicks")
        front.window.close()
        await life

    drive(main())
    assert seen == ["window", "nothing"]


def test_a_core_that_does_not_open_is_said_in_the_window_and_is_the_error_in_the_end(
    drive: Drive[Any], front: app.Front, caplog: pytest.LogCaptureFixture
) -> None:
    @asynccontextmanager
    async def broken_core() -> AsyncIterator[StandInCore]:
        raise OSError("the data folder cannot be written")
        yield StandInCore()

    async def main() -> None:
        shutdown = Shutdown()
        life = asyncio.ensure_future(app.present(front, broken_core, shutdown))
        await until(lambda: "could not start" in front.window.empty.words())
        assert "the data folder cannot be written" in front.window.empty.words()
        assert not front.window.composer.isEnabled()
        shutdown.request()
        with pytest.raises(OSError, match="data folder"):
            await life

    drive(main())
    assert "could not be opened" in caplog.text
