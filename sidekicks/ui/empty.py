"""What stands where there are no messages yet: it says what to do, with the button that helps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from sidekicks.ui.column import Column
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

WIDTH = 440


@dataclass(frozen=True)
class Choice:
    """A button of an empty state."""

    text: str
    chosen: Callable[[], None]
    primary: bool = False


@dataclass(frozen=True)
class Empty:
    """A title, one or two sentences, and what can be done."""

    title: str
    text: str
    choices: Sequence[Choice] = ()
    picture: QPixmap | None = None


class EmptyState(Column):
    """Shows an `Empty`, a little above the middle."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent, WIDTH)
        self._picture = QLabel(self)
        self._title = QLabel(self)
        self._text = QLabel(self)
        self._text.setProperty("tone", "secondary")
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._row = QHBoxLayout()
        self._row.setSpacing(SIZES.s)
        self._buttons: list[QPushButton] = []
        centre = Qt.AlignmentFlag.AlignHCenter
        self.body.addStretch(2)
        for label in (self._picture, self._title):
            label.setAlignment(centre)
            self.body.addWidget(label)
        self._text.setAlignment(centre)
        self.body.addWidget(self._text)
        self.body.addSpacing(SIZES.s)
        self.body.addLayout(self._row)
        self.body.addStretch(3)
        self.set_theme(theme)

    def show_empty(self, empty: Empty) -> None:
        """Shows it instead of what was shown before."""
        self._picture.setPixmap(empty.picture or QPixmap())
        self._picture.setVisible(empty.picture is not None)
        self._title.setText(empty.title)
        self._text.setText(empty.text)
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._buttons = []
        self._row.addStretch(1)
        for choice in empty.choices:
            button = QPushButton(choice.text, self)
            button.setProperty("role", "primary" if choice.primary else "")
            button.setFont(self._theme.body_font())
            button.clicked.connect(choice.chosen)
            self._row.addWidget(button)
            self._buttons.append(button)
        self._row.addStretch(1)

    def words(self) -> str:
        """Title and text, as shown."""
        return f"{self._title.text()}\n{self._text.text()}"

    def button(self, text: str) -> QPushButton:
        """The button with this text."""
        return next(button for button in self._buttons if button.text() == text)

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        super().set_theme(theme)
        self.setStyleSheet(sheet(theme))
        self._title.setFont(theme.header_font())
        self._text.setFont(theme.body_font())
        for button in self._buttons:
            button.setFont(theme.body_font())
