"""One QApplication and one asyncio loop in one thread, until the program's main coroutine returns."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine
from typing import Any, cast

from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from sidekicks.ui.failures import logged
from sidekicks.ui.shutdown import Shutdown, on_signals

log = logging.getLogger(__name__)


def application() -> QApplication:
    """The application, made if there is none. It does not end with its last window: `run` says when."""
    app = cast("QApplication | None", QApplication.instance()) or QApplication(sys.argv[:1])
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
    app.installEventFilter(shutdown)
    try:
        with logged(loop), on_signals(shutdown):
            return _complete(loop, main(shutdown))
    finally:
        app.removeEventFilter(shutdown)
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
