"""Signing in to an agent: which way, and for a way that needs a terminal the command to run in one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QWidget

from sidekicks.models import LoginMethod
from sidekicks.ui.dialogs.base import Dialog
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import Theme


class LoginDialog(Dialog):
    """A button for each way. `chosen` (LoginMethod); then it says what happens, until it is over or closed.

    `ran`: the user has run the command in a terminal; `terminal_wanted`: one is to be opened with it.
    """

    chosen = Signal(object)
    ran = Signal()
    terminal_wanted = Signal()

    def __init__(
        self, agent: str, methods: Sequence[LoginMethod], theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(self.tr("Sign in to {agent}").format(agent=agent), theme, parent)
        self._said = QLabel(self.tr("How do you want to sign in?"), self)
        self._said.setWordWrap(True)
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self.content.addWidget(self._said)
        self.ways: list[QPushButton] = []
        for method in methods:
            button = QPushButton(reveal(method.name), self)
            button.setToolTip(reveal(method.description))
            button.clicked.connect(partial(self._choose, method))
            self.content.addWidget(button)
            self.ways.append(button)
        self._command = QPlainTextEdit(self)
        self._command.setReadOnly(True)
        self._command.setFont(theme.code_font())
        self._command.setAccessibleName(self.tr("Command"))
        self._command.setFixedHeight(theme.px(72))
        self._command.hide()
        self.content.addWidget(self._command)
        self.copy = self.add_button(self.tr("Copy"))
        self.copy.clicked.connect(self._copy)
        self.copy.hide()
        self.terminal = self.add_button(self.tr("Open a terminal"))
        self.terminal.clicked.connect(self.terminal_wanted)
        self.terminal.hide()
        self.done_button = self.add_button(self.tr("I have signed in"), "primary")
        self.done_button.clicked.connect(self.ran)
        self.done_button.hide()
        self.add_button(self.tr("Cancel")).clicked.connect(self.reject)
        self.setMinimumWidth(theme.px(520))

    def wait(self) -> None:
        """The agent signs in by itself now."""
        self._show_ways(shown=False)
        self._said.setText(self.tr("Signing in; the agent may open a browser or ask you something…"))

    def show_command(self, argv: Sequence[str], *, can_open: bool) -> None:
        """What is to be run in a terminal; `can_open`: it can be opened in one."""
        self._show_ways(shown=False)
        self._said.setText(
            self.tr("Run this in a terminal, and come back when it says that you are signed in:")
        )
        self._command.setPlainText(shlex.join(argv))
        for widget in (self._command, self.copy, self.done_button):
            widget.show()
        self.terminal.setVisible(can_open)

    def fail(self, sentence: str) -> None:
        """It did not work; another way can be tried."""
        self._show_ways(shown=True)
        self._said.setText(sentence)
        for widget in (self._command, self.copy, self.terminal, self.done_button):
            widget.hide()

    def said(self) -> str:
        """What the dialog says, the command too."""
        return f"{self._said.text()}\n{self._command.toPlainText()}".strip()

    def _show_ways(self, *, shown: bool) -> None:
        for button in self.ways:
            button.setVisible(shown)

    def _choose(self, method: LoginMethod) -> None:
        self.chosen.emit(method)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._command.toPlainText())
