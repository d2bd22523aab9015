"""The messages that wait until the answer is over, each to be changed or left."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from sidekicks.models import FilePart, ImagePart, Message, TextPart
from sidekicks.ui import icons
from sidekicks.ui.elided import ElidedLabel
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

_SHEET = """
WaitingList { background: $surface; border: 1px solid $border; border-radius: ${r6}px; }
"""


class WaitingList(QFrame):
    """One line a message, in their order. `edit_wanted` and `remove_wanted` give the message's id."""

    edit_wanted = Signal(str)
    remove_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._messages: tuple[Message, ...] = ()
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(SIZES.m, SIZES.xs, SIZES.xs, SIZES.xs)
        self._rows.setSpacing(0)
        self.set_theme(theme)
        self.hide()

    def show_messages(self, messages: Sequence[Message]) -> None:
        """Lists exactly these; the list goes when there are none."""
        self._messages = tuple(messages)
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for message in messages:
            self._rows.addWidget(self._row(message))
        self.setVisible(bool(messages))

    def texts(self) -> list[str]:
        """What waits, in order."""
        return [first_line(message) for message in self._messages]

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.setStyleSheet(sheet(theme, _SHEET))
        self.show_messages(self._messages)

    def _row(self, message: Message) -> QWidget:
        row = QWidget(self)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(SIZES.xs)
        label = ElidedLabel(row)
        label.setFont(self._theme.small_font())
        label.setProperty("tone", "secondary")
        label.setText(self.tr("Waiting: {text}").format(text=first_line(message)))
        line.addWidget(label, 1)
        for name, text, wish in (
            ("edit", self.tr("Change"), self.edit_wanted),
            ("close", self.tr("Remove"), self.remove_wanted),
        ):
            button = QToolButton(row)
            icons.dress(button, name, self._theme.color("text_secondary"), self._theme.px(SIZES.m))
            button.setToolTip(text)
            button.setAccessibleName(f"{text}: {first_line(message)}")
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(partial(self._wish, wish, message.id))
            line.addWidget(button)
        return row

    @staticmethod
    def _wish(wish: SignalInstance, message_id: str) -> None:
        wish.emit(message_id)


def first_line(message: Message) -> str:
    """What a message says, on one line; the names of what goes with it where it says nothing."""
    text = " ".join(part.text for part in message.parts if isinstance(part, TextPart))
    named = [part.path for part in message.parts if isinstance(part, FilePart)]
    named += [part.name or part.mime_type for part in message.parts if isinstance(part, ImagePart)]
    return " ".join(text.split()) or ", ".join(named)
