"""What all dialogs share. They are opened with `open()`: a nested event loop would break asyncio."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme


class Dialog(QDialog):
    """A modal sheet with content above and buttons below; it goes away when it closes."""

    def __init__(self, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setStyleSheet(sheet(theme))
        self.setPalette(theme.palette())
        self.setFont(theme.body_font())
        self.content = QVBoxLayout()
        self.content.setSpacing(SIZES.s)
        self._buttons = QHBoxLayout()
        self._buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SIZES.xl, SIZES.l, SIZES.xl, SIZES.l)
        layout.setSpacing(SIZES.l)
        layout.addLayout(self.content, 1)
        layout.addLayout(self._buttons)

    def add_button(self, text: str, role: str = "") -> QPushButton:
        """Adds a button at the right; `role` is empty, `primary`, `danger` or `link`."""
        button = QPushButton(text, self)
        button.setProperty("role", role)
        button.setAutoDefault(False)
        self._buttons.addWidget(button)
        return button
