"""What every test of the window gets: an English window, asyncio inside Qt, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from sidekicks.ui.theme import Theme, light

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

T = TypeVar("T")
Drive = Callable[[Coroutine[Any, Any, T]], T]

ENDING_SECONDS = 10.0

# The offscreen platform has no window manager to tell sizes to.
OFFSCREEN = r"This plugin does not support (propagateSizeHints|raise)\(\)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "gui":
            item.add_marker(pytest.mark.qt_log_ignore(OFFSCREEN))


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return light()


@pytest.fixture(autouse=True)
def nothing_left(qapp: QApplication) -> Iterator[None]:
    """A thread, a running timer or a window that a test leaves behind fails it."""
    threads = set(threading.enumerate())
    windows = {id(window) for window in QApplication.topLevelWidgets()}
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    left = [window for window in QApplication.topLevelWidgets() if id(window) not in windows]
    assert not left, f"windows left: {left}"
    timers = [
        found
        for found in gc.get_objects()
        if isinstance(found, QTimer) and shiboken6.isValid(found) and found.isActive()
    ]
    assert not timers, f"timers left running: {timers}"
    left = [thread for thread in threading.enumerate() if thread not in threads and not _is_of_qt(thread)]
    for thread in left:
        thread.join(ENDING_SECONDS)  # one that was told to end may still be doing so
    assert not [thread for thread in left if thread.is_alive()], "threads left"


def _is_of_qt(thread: threading.Thread) -> bool:
    """Whether Python only knows of it because it once ran Python: Qt's pool has it, and ends it."""
    return thread.name.startswith("Dummy-")


@pytest.fixture
def drive(qapp: QApplication) -> Iterator[Drive[Any]]:
    """Runs a coroutine in the loop that the window really uses."""
    qapp.setQuitOnLastWindowClosed(False)
    loop = QEventLoop(qapp)
    asyncio.set_event_loop(loop)
    yield lambda work: loop.run_until_complete(asyncio.wait_for(work, 20))
    asyncio.set_event_loop(None)
    loop.close()


async def until(condition: Callable[[], object]) -> None:
    """Lets Qt and asyncio work until the condition holds."""
    while not condition():  # noqa: ASYNC110  conditions of widgets have no asyncio event
        await asyncio.sleep(0)
