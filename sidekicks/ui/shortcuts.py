"""The keyboard's way to everything in the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence, QShortcut

from sidekicks.ui.appearance import Appearance
from sidekicks.ui.commands import Commands
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.sidebar.rows import Row
from sidekicks.ui.workspace import Workspace


class Shortcuts(QObject):
    """Every key of the window that is not the affair of one of its parts; F1 lists them."""

    def __init__(
        self, window: MainWindow, workspace: Workspace, commands: Commands, appearance: Appearance
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        keys: dict[str, Callable[[], None]] = {
            "Ctrl+K": commands.switch,
            "Ctrl+F": commands.find,
            "Ctrl+Shift+F": commands.search,
            "F3": partial(commands.find_next, -1),
            "Shift+F3": partial(commands.find_next, 1),
            "Ctrl+N": commands.new_channel,
            "Ctrl+,": commands.open_settings,
            "Ctrl++": partial(appearance.zoom_by, 1),
            "Ctrl+=": partial(appearance.zoom_by, 1),
            "Ctrl+-": partial(appearance.zoom_by, -1),
            "Ctrl+0": partial(appearance.zoom_by, 0),
            "Ctrl+Q": self._quit,
            "F1": commands.show_shortcuts,
            "Alt+Up": partial(self._open_unread, -1),
            "Alt+Down": partial(self._open_unread, 1),
        }
        for number in range(1, 10):
            keys[f"Ctrl+{number}"] = partial(self._open_number, number - 1)
        for key, action in keys.items():
            shortcut = QShortcut(QKeySequence(key), window)
            shortcut.activated.connect(action)

    def _quit(self) -> None:
        self._window.close()

    def _open(self, row: Row) -> None:
        if row.id:
            self._workspace.open_channel(row.id)
        elif row.agent:
            self._workspace.open_direct(row.agent.name)

    def _open_number(self, number: int) -> None:
        rows = self._window.sidebar.conversations()
        if number < len(rows):
            self._open(rows[number])

    def _open_unread(self, step: int) -> None:
        rows = self._window.sidebar.conversations()
        shown = self._workspace.overview.shown
        here = next((number for number, row in enumerate(rows) if row.id == shown), 0)
        for distance in range(1, len(rows) + 1):
            row = rows[(here + step * distance) % len(rows)]
            if row.unread or row.permissions:
                self._open(row)
                return
