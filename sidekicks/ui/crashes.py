"""A fault of ours that nothing caught: said in a dialog that helps, while everything else goes on."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget

from sidekicks.ui.appearance import Appearance
from sidekicks.ui.shutdown import Shutdown

if TYPE_CHECKING:
    from sidekicks.ui.dialogs.crash import CrashDialog

WATCHED = ("sidekicks.ui.failures", "sidekicks.tasks")
"""Where exceptions end that nobody waits for."""


class _Listener(logging.Handler):
    """Passes on what a record says of an exception; from any thread."""

    def __init__(self, reports: CrashReports) -> None:
        super().__init__(logging.ERROR)
        self._reports = reports

    def emit(self, record: logging.LogRecord) -> None:
        """logging's hook."""
        if record.exc_info:
            self._reports.failed.emit(logging.Formatter().format(record))


class CrashReports(QObject):
    """Shows the first fault, and others only once its dialog is closed: one may come a thousand times."""

    failed = Signal(str)

    def __init__(self, window: QWidget, appearance: Appearance, log_path: Path, shutdown: Shutdown) -> None:
        super().__init__(window)
        self._window = window
        self._appearance = appearance
        self._log_path = log_path
        self._shutdown = shutdown
        self._dialog: CrashDialog | None = None
        self._seen: set[str] = set()
        self._listener = _Listener(self)
        self.failed.connect(self._show)
        for name in WATCHED:
            logging.getLogger(name).addHandler(self._listener)

    def close(self) -> None:
        """Hears nothing more."""
        for name in WATCHED:
            logging.getLogger(name).removeHandler(self._listener)

    def _show(self, details: str) -> None:
        if self._dialog is not None or details in self._seen:
            return
        from sidekicks.ui.dialogs.crash import CrashDialog

        self._seen.add(details)
        theme = self._appearance.theme
        self._dialog = dialog = CrashDialog(details, str(self._log_path), theme, self._window)
        dialog.copy_wanted.connect(self._copy)
        dialog.log_wanted.connect(self._open_log)
        dialog.restart_wanted.connect(self._restart)
        dialog.finished.connect(self._closed)
        dialog.open()

    def _closed(self, _result: int) -> None:
        self._dialog = None

    def _copy(self, details: str) -> None:
        QGuiApplication.clipboard().setText(details)

    def _open_log(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._log_path)))

    def _restart(self) -> None:
        self._shutdown.request(again=True)


def start_again() -> None:
    """Starts the program once more as it was started, on its own."""
    subprocess.Popen([sys.executable, *sys.orig_argv[1:]], start_new_session=True)
