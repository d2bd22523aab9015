"""Nothing fails in silence: slots that raise, tasks nobody awaits and Qt's messages reach the log."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

log = logging.getLogger(__name__)
qt_log = logging.getLogger("qt")

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def _raised(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    log.critical("unhandled exception", exc_info=(kind, error, trace))


def _raised_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        log.critical("unhandled exception in a thread", exc_info=args.exc_value)


def _in_loop(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    log.error("asyncio: %s", context.get("message"), exc_info=context.get("exception"))


def _from_qt(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    category = getattr(context, "category", None) or "default"
    qt_log.log(_LEVELS.get(kind, logging.WARNING), "%s: %s", category, message)


@contextmanager
def logged(loop: asyncio.AbstractEventLoop) -> Generator[None]:
    """While inside, every failure that has no other way out is written to the log."""
    former_hook, former_thread_hook = sys.excepthook, threading.excepthook
    sys.excepthook, threading.excepthook = _raised, _raised_in_thread
    former_qt = qInstallMessageHandler(_from_qt)
    loop.set_exception_handler(_in_loop)
    try:
        yield
    finally:
        loop.set_exception_handler(None)
        qInstallMessageHandler(former_qt)
        sys.excepthook, threading.excepthook = former_hook, former_thread_hook
