"""The window as `bench_window` runs it, in a process of its own: `python window.py FOLDER WHAT`.

`start`: says when the first conversation is painted, and ends. `memory`: opens ten conversations and streams.
`idle`: starts four agents and waits to be looked at. `bare`: a window of Qt's own with a sidebar, to compare.
`libraries`: the same with what the program stands on imported before: no window of ours can be faster.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from sidekicks.app import Front
    from sidekicks.core import Core
    from sidekicks.ui.shutdown import Shutdown

LOOK_SECONDS = 0.002
STREAMED = 2_000
"""Pieces of an answer that are streamed at a time."""


def tell(word: str) -> None:
    """Says where the program is, to whoever started it."""
    print(word, flush=True)


def import_libraries() -> None:
    """Imports what the program stands on."""
    for name in ("asyncio", "qasync", "msgspec", "platformdirs", "yaml", "plyvel", "sqlite3"):
        importlib.import_module(name)


def bare() -> None:
    """A main window with a list at its left and a text, painted once."""
    from PySide6.QtCore import QTimer
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QApplication, QListWidget, QMainWindow, QSplitter, QTextBrowser

    class Text(QTextBrowser):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  Qt's name
            super().paintEvent(event)
            QTimer.singleShot(0, QApplication.quit)

    app = QApplication([])
    window, split, listed, text = QMainWindow(), QSplitter(), QListWidget(), Text()
    listed.addItems([f"conversation {number}" for number in range(10)])
    text.setMarkdown("\n\n".join(f"message {number}" for number in range(10)))
    split.addWidget(listed)
    split.addWidget(text)
    window.setCentralWidget(split)
    window.resize(1100, 760)
    window.show()
    app.exec()
    tell("painted")


async def _shown(front: Front) -> None:
    """Waits until messages are painted."""
    from PySide6.QtWidgets import QTextBrowser

    while not (front.window.shows_messages and front.window.isVisible()):  # noqa: ASYNC110
        await asyncio.sleep(LOOK_SECONDS)
    front.window.repaint()
    assert any(text.isVisible() for text in front.window.findChildren(QTextBrowser))


async def _start(front: Front, core: Core) -> None:
    del core
    await _shown(front)
    tell("painted")


async def _memory(front: Front, core: Core) -> None:
    await _shown(front)
    for row in front.window.sidebar.conversations():
        if row.kind == "channel":
            front.window.sidebar.channel_chosen.emit(row.id)
            await asyncio.sleep(0.3)
    tell("opened")
    await asyncio.to_thread(sys.stdin.readline)
    channel = await core.channels.direct("a0")
    front.window.sidebar.channel_chosen.emit(channel.id)
    for _ in range(2):
        for _ in range(5):
            await core.channels.send(channel.id, f"!stream({STREAMED}, 10)")
        while not await _is_free(core, channel.id):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        tell("streamed")
        await asyncio.to_thread(sys.stdin.readline)


async def _is_free(core: Core, channel: str) -> bool:
    return not (await core.channels.conversation(channel)).busy


async def _idle(front: Front, core: Core) -> None:
    await _shown(front)
    for status in core.agents.list():
        await core.agents.start(status.name)
    await asyncio.sleep(3)
    tell("idle")
    await asyncio.Event().wait()


WORK = {"start": _start, "memory": _memory, "idle": _idle}


async def _run(folder: Path, what: str, shutdown: Shutdown) -> None:
    from sidekicks.app import make_front, present
    from sidekicks.core import open_core

    front = make_front(folder)
    working: list[asyncio.Task[None]] = []

    async def work(core: Core) -> None:
        try:
            await WORK[what](front, core)
        finally:
            shutdown.request()

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Core]:
        async with open_core(folder / "sidekicks.yaml", folder / "data") as core:
            working.append(asyncio.create_task(work(core)))
            yield core

    await present(front, opened, shutdown)
    for task in working:
        task.cancel()


def main() -> int:
    """Runs the part that is asked for."""
    folder, what = Path(sys.argv[1]), sys.argv[2]
    if what in ("bare", "libraries"):
        if what == "libraries":
            import_libraries()
        bare()
        return 0
    gc.disable()  # as the command line does
    from functools import partial

    from sidekicks.ui import loop

    return loop.run(partial(_run, folder, what))


if __name__ == "__main__":
    sys.exit(main())
