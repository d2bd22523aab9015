"""What an agent wrote on its stderr, live, to read and to copy."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

MAX_LINES = 200


class LogsDialog(QDialog):
    """The agent's last lines; `add` appends one. It stays at the end while it is there."""

    def __init__(self, title: str, lines: Sequence[str], theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Logs of {agent}").format(agent=title))
        self.setStyleSheet(sheet(theme))
        self.setFont(theme.body_font())
        self._text = QPlainTextEdit(self)
        self._text.setReadOnly(True)
        self._text.setMaximumBlockCount(MAX_LINES)
        self._text.setFont(theme.code_font())
        self._text.setPlaceholderText(self.tr("This agent has written nothing yet."))
        self._text.setPlainText("\n".join(lines))
        copy = QPushButton(self.tr("Copy all"), self)
        copy.setAutoDefault(False)
        copy.clicked.connect(self._copy)
        close = QPushButton(self.tr("Close"), self)
        close.setDefault(True)
        close.clicked.connect(self.close)
        buttons = QHBoxLayout()
        buttons.addWidget(copy)
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SIZES.l, SIZES.l, SIZES.l, SIZES.l)
        layout.setSpacing(SIZES.m)
        layout.addWidget(self._text)
        layout.addLayout(buttons)
        self.resize(theme.px(640), theme.px(400))
        self._to_end()

    def add(self, line: str) -> None:
        """Appends a line; the oldest goes when there are more than `MAX_LINES`."""
        bar = self._text.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self._text.appendPlainText(line)
        if at_end:
            self._to_end()

    def text(self) -> str:
        """All lines shown."""
        return self._text.toPlainText()

    def _to_end(self) -> None:
        bar = self._text.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())
