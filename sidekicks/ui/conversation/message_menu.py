"""What can be done with a message or with what is selected, at a click of the right button."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from sidekicks.ui.conversation.rows import Row


class Copying(Protocol):
    """What copies and selects."""

    def copy(self) -> bool:
        """Copies what is selected over several rows; False if nothing is."""
        ...

    def copy_message(self, row: Row) -> None:
        """Copies a whole message as Markdown."""
        ...

    def copy_words(self, row: Row) -> None:
        """Copies a whole message as it is read."""
        ...

    def select_message(self, row: Row) -> None:
        """Selects a whole message."""
        ...

    def quotable(self, row: Row) -> str:
        """What a reply would quote: what is selected over several rows, else the whole message."""
        ...


class MessageMenu(QMenu):
    """`selected` is what is selected in the row alone, `link` the one under the mouse; both may be empty."""

    def __init__(self, row: Row, copying: Copying, selected: str, link: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._row = row
        self._copying = copying
        self._selected = selected
        self._link = link
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.addAction(self.tr("Copy")).triggered.connect(self._copy)
        self.addAction(self.tr("Copy Message")).triggered.connect(self._copy_words)
        self.addAction(self.tr("Copy as Markdown")).triggered.connect(self._copy_message)
        if link:
            self.addAction(self.tr("Copy Link")).triggered.connect(self._copy_link)
        self.addSeparator()
        self.quote = self.addAction(self.tr("Quote in Reply"))
        self.addAction(self.tr("Select Message")).triggered.connect(self._select)

    def quoted(self) -> str:
        """What is to be quoted."""
        return self._selected or self._copying.quotable(self._row)

    def _copy(self) -> None:
        if self._selected:
            QGuiApplication.clipboard().setText(self._selected)
        elif not self._copying.copy():
            self._copying.copy_words(self._row)

    def _copy_words(self) -> None:
        self._copying.copy_words(self._row)

    def _copy_message(self) -> None:
        self._copying.copy_message(self._row)

    def _copy_link(self) -> None:
        QGuiApplication.clipboard().setText(self._link)

    def _select(self) -> None:
        self._copying.select_message(self._row)
