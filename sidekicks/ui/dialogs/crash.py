"""What is said when something failed that must not: what is safe, what to do, what to send us."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from sidekicks.ui.dialogs.base import Dialog
from sidekicks.ui.theme import Theme


class CrashDialog(Dialog):
    """Shows the details word for word. Closing it goes on."""

    copy_wanted = Signal(str)
    log_wanted = Signal()
    restart_wanted = Signal()

    def __init__(self, details: str, log_path: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Something in Sidekicks failed"), theme, parent)
        heading = QLabel(self.windowTitle(), self)
        heading.setFont(theme.strong_font())
        text = QLabel(
            self.tr(
                "Your messages and the finished answers are kept, and what still works goes on. If it does"
                " not, restart: drafts and the open conversation come back. The log is {path}; nothing is"
                " sent anywhere."
            ).format(path=log_path),
            self,
        )
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setWordWrap(True)
        self._details = QPlainTextEdit(details, self)
        self._details.setReadOnly(True)
        self._details.setFont(theme.code_font())
        self._details.setAccessibleName(self.tr("Details"))
        for widget in (heading, text, self._details):
            self.content.addWidget(widget)
        self.add_button(self.tr("Copy details"), "link").clicked.connect(self._copy)
        self.add_button(self.tr("Open the log"), "link").clicked.connect(self.log_wanted)
        self.add_button(self.tr("Restart")).clicked.connect(self._restart)
        go_on = self.add_button(self.tr("Go on"), "primary")
        go_on.setDefault(True)
        go_on.setFocus()
        go_on.clicked.connect(self.accept)
        self.resize(theme.px(640), theme.px(420))

    @property
    def details(self) -> str:
        """What failed, word for word."""
        return self._details.toPlainText()

    def _copy(self) -> None:
        self.copy_wanted.emit(self.details)

    def _restart(self) -> None:
        self.accept()
        self.restart_wanted.emit()
