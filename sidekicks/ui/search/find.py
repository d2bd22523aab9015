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
        self._at = self._count = 0
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

    def open(self, words: str = "") -> None:
        """Shows the bar; `words` are looked for at once."""
        self.bar.open()
        if words:
            self.bar.field.setText(words)
        else:
            self._look_for(self.bar.field.text())

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
        self._at = 0
        self._wants_older = False
        count = self._view.look_for(words)
        if count:
            self._at = self._view.find_next(0)
        self._say(count)

    def _step(self, by: int) -> None:
        at = self._view.find_next(by)
        if by < 0 and self._view.has_more and (not at or at > self._at > 0 or self._at == 1):
            # Before the first one there may be others that are not loaded yet.
            self._wants_older = True
            self._view.ask_older()
            return
        self._at = at
        self._again()

    def _again(self) -> None:
        self._say(self._view.look_for(self.bar.field.text()))

    def _say(self, count: int) -> None:
        self._count = count
        self.bar.say(self._at, count, more=self._view.has_more)

    def _opened(self, conversation: object) -> None:
        del conversation
        if self.bar.isVisible():
            self._look_for(self.bar.field.text())

    def _paged(self, page: Page) -> None:
        del page
        if not self.bar.isVisible():
            return
        known = self._count
        count = self._view.look_for(self.bar.field.text())
        if self._wants_older and count == known and self._view.has_more:
            self._view.ask_older()
        elif self._wants_older:
            self._wants_older = False
            self._at = self._view.find_next(-1)
        self._say(count)

    def _follow(self, event: Event) -> None:
        is_new = isinstance(event, MessageUpdated | MessageDelta)
        if is_new and self.bar.isVisible() and not self._soon.isActive():
            self._soon.start()
