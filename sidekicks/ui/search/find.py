"""Finds words in the conversation that is shown, older messages too as one goes on."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from sidekicks.events import Event, MessageDelta, MessageUpdated
from sidekicks.models import Page
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.search.find_bar import FindBar
from sidekicks.ui.theme import Theme
from sidekicks.ui.workspace import Workspace

ANEW_MS = 300
"""While an answer streams its words are found anew this often."""


class Find(QObject):
    """Connects the bar with the view. Made when something is looked for first."""

    def __init__(self, window: MainWindow, workspace: Workspace, theme: Theme) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._view = workspace.view
        self._wants_older = False
        self.bar = FindBar(theme, window)
        window.add_bar(self.bar)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(ANEW_MS)
        self._soon.timeout.connect(self._again)
        self.bar.typed.connect(self._look_for)
        self.bar.stepped.connect(self._step)
        self.bar.closed.connect(self.close)
        workspace.opened.connect(self._opened)
        workspace.left.connect(self._soon.stop)
        workspace.paged.connect(self._paged)
        workspace.happened.connect(self._follow)

    def open(self) -> None:
        """Shows the bar."""
        self.bar.open()
        self._look_for(self.bar.field.text())

    def step(self, by: int) -> None:
        """Goes to the one before (-1) or the next one (1), if something is looked for."""
        if self.bar.isVisible():
            self._step(by)
        else:
            self.open()

    def close(self) -> None:
        """Takes bar and marks away; the keyboard goes back to where one writes."""
        self.bar.hide()
        self._soon.stop()
        self._view.look_for("")
        self._window.composer.text.setFocus()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self.bar.set_theme(theme)

    def _look_for(self, words: str) -> None:
        self._wants_older = False
        self._view.look_for(words)
        self._view.find_next(0)
        self._say()

    def _step(self, by: int) -> None:
        at, _ = self._view.found
        if by < 0 and self._view.has_more and at <= 1:
            # Before the first one there may be others that are not loaded yet.
            self._wants_older = True
            self._view.ask_older()
            return
        self._view.find_next(by)
        self._say()

    def _again(self) -> None:
        self._view.look_for(self.bar.field.text())
        self._say()

    def _say(self) -> None:
        at, count = self._view.found
        self.bar.say(at, count, more=self._view.has_more)

    def _opened(self, conversation: object) -> None:
        del conversation
        if self.bar.isVisible():
            self._look_for(self.bar.field.text())

    def _paged(self, page: Page) -> None:
        del page
        if not self.bar.isVisible():
            return
        _, known = self._view.found
        self._view.look_for(self.bar.field.text())
        _, count = self._view.found
        if self._wants_older and count == known and self._view.has_more:
            self._view.ask_older()
        elif self._wants_older:
            self._wants_older = False
            self._view.find_next(-1)
        self._say()

    def _follow(self, event: Event) -> None:
        is_new = isinstance(event, MessageUpdated | MessageDelta)
        if is_new and self.bar.isVisible() and not self._soon.isActive():
            self._soon.start()
