"""One QApplication and one asyncio loop in one thread, until the program's main coroutine returns."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from sidekicks.ui.failures import logged
from sidekicks.ui.shutdown import Shutdown, on_signals

log = logging.getLogger(__name__)


class Application(QApplication):
    """Says that it was asked to quit (Cmd+Q, the session's end) where Qt would stop the loop at once."""

    quit_asked = Signal()

    def event(self, event: QEvent) -> bool:
        """Takes Quit. Not an event filter: that would see every event of every widget, 10 µs each."""
        if event.type() == QEvent.Type.Quit:
            self.quit_asked.emit()
            return True
        return super().event(event)


def application() -> Application:
    """The application. It does not end with its last window: `run` says when."""
    app = Application(sys.argv[:1])
    app.setApplicationName("sidekicks")
    app.setApplicationDisplayName("Sidekicks")
    app.setDesktopFileName("sidekicks")
    app.setQuitOnLastWindowClosed(False)
    return app


def run(main: Callable[[Shutdown], Coroutine[Any, Any, None]]) -> int:
    """Runs `main` until it returns. The exit code: 0, or 1 when it raised (which is then in the log).

    `main` returns some time after the shutdown that it is given was requested.
    """
    app = application()
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    shutdown = Shutdown()
    app.quit_asked.connect(shutdown.request)
    try:
        with logged(loop), on_signals(shutdown):
            return _complete(loop, main(shutdown))
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def _complete(loop: asyncio.AbstractEventLoop, main: Coroutine[Any, Any, None]) -> int:
    try:
        loop.run_until_complete(main)
    except Exception:
        log.exception("Sidekicks ended with an error")
        return 1
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
    return 0
