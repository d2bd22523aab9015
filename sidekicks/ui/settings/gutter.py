"""The line numbers beside an editor, with a mark where something is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from sidekicks.ui.theme import SIZES

if TYPE_CHECKING:
    from sidekicks.ui.settings.editor import YamlEditor

ERROR, WARNING = "✕", "!"
"""What stands beside a line with a problem: never a colour alone."""


class Gutter(QWidget):
    """Paints itself beside the lines of its editor that can be seen."""

    def __init__(self, editor: YamlEditor) -> None:
        super().__init__(editor)
        self._editor = editor

    def wanted_width(self) -> int:
        """Room for a mark and the highest number."""
        theme = self._editor.theme
        digits = max(2, len(str(self._editor.blockCount())))
        number = self._editor.fontMetrics().horizontalAdvance("9") * digits
        return number + theme.px(SIZES.xl) + theme.px(SIZES.s)

    def sizeHint(self) -> QSize:
        """Qt's hook."""
        return QSize(self.wanted_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the numbers, and the marks before them."""
        theme = self._editor.theme
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.color("surface"))
        painter.setFont(self._editor.font())
        height = self._editor.fontMetrics().height()
        current = self._editor.textCursor().blockNumber()
        for number, top in self._editor.visible_lines():
            mark = self._editor.mark_of(number + 1)
            if mark:
                painter.setPen(theme.color("danger" if mark == ERROR else "warning"))
                painter.drawText(QRect(theme.px(SIZES.xs), top, theme.px(SIZES.l), height), 0, mark)
            painter.setPen(theme.color("text" if number == current else "text_secondary"))
            box = QRect(0, top, self.width() - theme.px(SIZES.s), height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, str(number + 1))
        painter.end()
