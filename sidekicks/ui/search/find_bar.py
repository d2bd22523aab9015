"""The bar that finds words in the conversation that is shown."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from sidekicks.ui import icons
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

KEY_PRESS = QEvent.Type.KeyPress
_SHEET = """
FindBar { background: $surface; border: none; border-bottom: 1px solid $border; }
"""


class FindBar(QFrame):
    """A field, how many there are, the way to the next and back. `stepped` is 1 or -1."""

    typed = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setClearButtonEnabled(True)
        self._count = QLabel(self)
        self._count.setProperty("tone", "secondary")
        self._before, self._after, self._close = QToolButton(self), QToolButton(self), QToolButton(self)
        self.field.textChanged.connect(self.typed)
        self.field.installEventFilter(self)
        self._before.clicked.connect(self._step_back)
        self._after.clicked.connect(self._step_on)
        self._close.clicked.connect(self.closed)
        line = QHBoxLayout(self)
        line.setContentsMargins(SIZES.l, SIZES.xs, SIZES.s, SIZES.xs)
        line.setSpacing(SIZES.s)
        line.addWidget(self.field, 1)
        for widget in (self._count, self._before, self._after, self._close):
            line.addWidget(widget)
        self.set_theme(theme)
        self._retranslate()
        self.hide()

    def open(self) -> None:
        """Shows the bar, with what was looked for last ready to be replaced."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def say(self, at: int, count: int, *, more: bool) -> None:
        """Which of how many the reader is at; 0: none yet. `more`: there are messages that are not loaded."""
        some = f"{count}+" if more else str(count)
        if not self.field.text():
            text = ""
        elif not count:
            text = self.tr("Nothing in what is loaded") if more else self.tr("Nothing found")
        elif at:
            text = self.tr("{number} of {count}").format(number=at, count=some)
        else:
            text = some
        self._count.setText(text)
        for button in (self._before, self._after):
            button.setEnabled(bool(count) or more)

    @property
    def said(self) -> str:
        """What stands beside the field."""
        return self._count.text()

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Enter goes to the one before, as one reads from the end; Shift+Enter back; Escape closes."""
        if (
            watched is not self.field
            or event.type() != QEvent.Type.KeyPress
            or not isinstance(event, QKeyEvent)
        ):
            return False
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stepped.emit(1 if back else -1)
        elif event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            return False
        return True

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self.setStyleSheet(sheet(theme, _SHEET))
        self.field.setFont(theme.body_font())
        self._count.setFont(theme.small_font())
        grey, size = theme.color("text_secondary"), theme.px(SIZES.icon)
        for button, name in ((self._before, "up"), (self._after, "down"), (self._close, "close")):
            icons.dress(button, name, grey, size)

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.field.setPlaceholderText(self.tr("Find in this conversation"))
        self.field.setAccessibleName(self.tr("Find in this conversation"))
        for button, text in (
            (self._before, self.tr("The one before (Enter)")),
            (self._after, self.tr("The next one (Shift+Enter)")),
            (self._close, self.tr("Close (Esc)")),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)

    def _step_back(self) -> None:
        self.stepped.emit(-1)

    def _step_on(self) -> None:
        self.stepped.emit(1)
