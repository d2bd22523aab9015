"""The list of what is wrong with the configuration's text; it leads to the places and mends slips."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QWidget

from sidekicks.models import Problem
from sidekicks.ui.settings.edits import suggestion
from sidekicks.ui.settings.gutter import ERROR, WARNING
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

MOST_LINES = 5
"""Lines that are shown at once; more scroll."""
_ROLE = int(Qt.ItemDataRole.UserRole)
_SHEET = """
QListWidget { background: transparent; border: none; outline: none; color: $text; }
QListWidget::item { padding: ${p3}px ${p4}px; border-radius: ${r4}px; }
QListWidget::item:selected { background: $hover; color: $text; }
"""


class Rows(QListWidget):
    """Says when it is narrower or wider: then a problem takes more lines, or fewer."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's hook."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.resized.emit()


class ProblemList(QWidget):
    """A problem in each row, whole, in the order of the text.

    `chosen` asks for its place, `accepted` for what it proposes.
    """

    chosen = Signal(object)
    accepted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._list = Rows(self)
        # Not before the rows themselves are laid out.
        self._list.resized.connect(self._fit, Qt.ConnectionType.QueuedConnection)
        self._list.setWordWrap(True)
        self._list.setTextElideMode(Qt.TextElideMode.ElideNone)
        self._list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.itemClicked.connect(self._choose)
        self._list.itemActivated.connect(self._choose)
        self._list.currentItemChanged.connect(self._show_fix)
        self.fix = QPushButton(self)
        self.fix.setProperty("role", "link")
        self.fix.clicked.connect(self._accept)
        row = QHBoxLayout(self)
        row.setContentsMargins(SIZES.l, SIZES.xs, SIZES.l, SIZES.xs)
        row.addWidget(self._list, 1)
        row.addWidget(self.fix, 0, Qt.AlignmentFlag.AlignTop)
        self.set_theme(theme)
        self._retranslate()
        self.show_problems(())

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Lists them; the list goes when there are none."""
        kept = self._current()
        self._list.clear()
        for problem in problems:
            mark = WARNING if problem.warning else ERROR
            text = self.tr("{mark}  Line {line}: {problem}").format(
                mark=mark, line=problem.line, problem=problem.message
            )
            item = QListWidgetItem(text, self._list)
            item.setData(_ROLE, problem)
            item.setToolTip(problem.message)
        if problems:
            # The first that keeps the file from being saved, unless another was looked at.
            wrong = next((n for n, problem in enumerate(problems) if not problem.warning), 0)
            self._list.setCurrentRow(problems.index(kept) if kept in problems else wrong)
        self.setVisible(bool(problems))
        self._show_fix()
        self._fit()

    def texts(self) -> list[str]:
        """What is listed, from the top."""
        return [self._list.item(number).text() for number in range(self._list.count())]

    def choose(self, number: int) -> None:
        """Leads to the place of a problem, as a click does."""
        self._list.setCurrentRow(number)
        self._choose(self._list.item(number))

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.setStyleSheet(sheet(theme, _SHEET))
        self._list.setFont(theme.body_font())
        self.fix.setFont(theme.body_font())
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._list.setAccessibleName(self.tr("Problems"))
        self._show_fix()

    def _fit(self) -> None:
        # `sizeHintForRow` knows of no wrapping.
        items = (self._list.item(row) for row in range(self._list.count()))
        rows = sum(self._list.visualItemRect(item).height() for item in items)
        most = MOST_LINES * self._theme.px(26)
        self._list.setFixedHeight(max(1, min(rows, most) + 2))

    def _current(self) -> Problem | None:
        row = self._list.currentRow()
        return self._list.item(row).data(_ROLE) if row >= 0 else None

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(_ROLE))

    def _show_fix(self) -> None:
        problem = self._current()
        word = suggestion(problem.message) if problem is not None else ""
        self.fix.setVisible(bool(word))
        self.fix.setText(self.tr("Change to “{word}”").format(word=word))

    def _accept(self) -> None:
        if (problem := self._current()) is not None:
            self.accepted.emit(problem)
