"""The search in all conversations, as a page of the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from sidekicks.models import Found, SearchResult
from sidekicks.ui import icons
from sidekicks.ui.check_box import CheckBox
from sidekicks.ui.column import Column
from sidekicks.ui.search.results import Results
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

TYPING_MS = 80
"""How long nothing is typed before it is looked for."""
KEY_PRESS = QEvent.Type.KeyPress
_SHEET = """
SearchPage { background: $background; border: none; }
QListWidget { background: transparent; border: none; outline: none; color: $text; }
"""


class SearchPage(QFrame):
    """A field and what was found. `wanted` (words, here alone), `chosen` (Found), `left`."""

    wanted = Signal(str, bool)
    chosen = Signal(object)
    left = Signal()

    def __init__(self, theme: Theme, heading: Callable[[Found], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setClearButtonEnabled(True)
        self._back = QToolButton(self)
        self.here = CheckBox("", theme, self)
        self._state = QLabel(self)
        self._state.setProperty("tone", "secondary")
        self._state.setWordWrap(True)
        self.results = Results(theme, heading, self)
        self._column = Column(theme, self)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(TYPING_MS)
        line = QHBoxLayout()
        line.setSpacing(SIZES.s)
        line.addWidget(self._back)
        line.addWidget(self.field, 1)
        line.addWidget(self.here)
        self._column.body.addLayout(line)
        self._column.body.addWidget(self._state)
        self._column.body.addWidget(self.results, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._column)
        self._connect()
        self.set_theme(theme)
        self._retranslate()

    def _connect(self) -> None:
        self.field.textChanged.connect(self._typed)
        self.field.installEventFilter(self)
        self.here.toggled.connect(self._ask)
        self._back.clicked.connect(self.left)
        self._soon.timeout.connect(self._ask)
        self.results.chosen.connect(self.chosen)

    def begin(self, conversation: str) -> None:
        """The user wants to look for something; `conversation` is the name of the one that is shown."""
        self.here.setText(self.tr("Only in {conversation}").format(conversation=conversation))
        self.here.setVisible(bool(conversation))
        self.field.setFocus()
        self.field.selectAll()

    def show_result(self, result: SearchResult) -> None:
        """Shows what was found, and whether that is all."""
        self.results.show_found(result.found)
        said: list[str] = []
        if not result.complete:
            said.append(self.tr("Not everything is looked through yet: the index is being made."))
        elif not result.found:
            said.append(self.tr("Nothing was found."))
        elif result.more:
            said.append(self.tr("The newest {count}; there are more.").format(count=len(result.found)))
        if result.problem:
            said.append(result.problem)
        self.say(" ".join(said))

    def say(self, sentence: str) -> None:
        """Says something below the field."""
        self._state.setText(sentence)
        self._state.setVisible(bool(sentence))

    @property
    def said(self) -> str:
        """What is said below the field."""
        return self._state.text()

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """The arrows move in the list while one types; Enter takes what is current there."""
        if (
            watched is not self.field
            or event.type() != QEvent.Type.KeyPress
            or not isinstance(event, QKeyEvent)
        ):
            return False
        match event.key():
            case Qt.Key.Key_Down:
                self.results.move_current(1)
            case Qt.Key.Key_Up:
                self.results.move_current(-1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.results.take_current()
            case _:
                return False
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape goes back to the conversation."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            event.accept()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self.setStyleSheet(sheet(theme, _SHEET))
        self.setPalette(theme.palette())
        self._column.set_theme(theme)
        self.here.set_theme(theme)
        self.results.set_theme(theme)
        self.field.setFont(theme.body_font())
        self._state.setFont(theme.small_font())
        icons.dress(self._back, "back", theme.color("text_secondary"), theme.px(SIZES.icon))

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.field.setPlaceholderText(self.tr("Search in all that was said"))
        self.field.setAccessibleName(self.tr("Search in all that was said"))
        self.results.setAccessibleName(self.tr("What was found"))
        self._back.setToolTip(self.tr("Back to the conversation (Esc)"))
        self._back.setAccessibleName(self.tr("Back"))

    def _typed(self) -> None:
        self._soon.start()

    def _ask(self) -> None:
        self._soon.stop()
        self.wanted.emit(self.field.text().strip(), self.here.isChecked() and not self.here.isHidden())
