"""A change to one file: red and green, each line with its number and its sign."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit, QWidget

from sidekicks.models import Diff
from sidekicks.ui.conversation.code_text import CodeText
from sidekicks.ui.conversation.diff_lines import DiffLine, diff_lines
from sidekicks.ui.conversation.diff_words import changed_words
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.positions import units
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import SIZES, Theme

LIMIT = 400
_TOKENS = {"+": "diff_added", "-": "diff_removed"}
_WORD_TOKENS = {"+": "diff_added_word", "-": "diff_removed_word"}


class Numbers(QWidget):
    """The numbers at the left of a diff: before the change, after it."""

    def __init__(self, parent: DiffView) -> None:
        super().__init__(parent)
        self._diff = parent

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the numbers of the lines that can be seen."""
        del event
        painter = QPainter(self)
        self._diff.paint_numbers(painter, self.width())
        painter.end()


class DiffView(CodeText):
    """Shows the lines of a change, at most `LIMIT` of them; what is left out is said in its last line."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._lines: list[DiffLine] = []
        self._shown: Diff | None = None
        self._look: Look | None = None
        self._numbers = Numbers(self)
        self._corners.raise_()
        self.updateRequest.connect(self._numbers.update)

    def show_diff(self, diff: Diff, width: int, look: Look) -> int:
        """Shows a change in `width` pixels; its height."""
        if diff != self._shown:
            self._shown = diff
            self._lines, left_out = diff_lines(diff.old_text, diff.new_text, LIMIT)
            if left_out:
                more = self.tr("{count} more lines").format(count=left_out)
                self._lines = [*self._lines, DiffLine("…", more)]
        self._look = look
        self.setAccessibleName(self.tr("Changes to {path}").format(path=reveal(diff.path)))
        gutter = self._gutter(look)
        pad = look.theme.px(SIZES.s)
        self.setViewportMargins(gutter, pad, 0, pad)
        text = "\n".join(f"{line.sign} {reveal(line.text)}" for line in self._lines)
        height = self.show_text(text, width, look) + 2 * pad
        self._numbers.setGeometry(0, 0, gutter, height)
        self._colour(look)
        return height

    def _margin(self, theme: Theme) -> int:
        return 0

    def _gutter(self, look: Look) -> int:
        digits = len(str(max((line.old or line.new or 0 for line in self._lines), default=0)))
        return self.fontMetrics().horizontalAdvance("0") * (2 * digits + 1) + look.theme.px(SIZES.l)

    def _colour(self, look: Look) -> None:
        selections: list[QTextEdit.ExtraSelection] = []
        words = changed_words([(line.sign, reveal(line.text)) for line in self._lines])
        for number, line in enumerate(self._lines):
            if line.sign in _TOKENS:
                selection = QTextEdit.ExtraSelection()
                selection.format.setBackground(look.theme.color(_TOKENS[line.sign]))
                selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
                selection.cursor = QTextCursor(self.document().findBlockByNumber(number))
                selections.append(selection)
            selections += [self._emphasis(number, *span, look) for span in words[number]]
        self.colour(selections)

    def _emphasis(self, number: int, start: int, end: int, look: Look) -> QTextEdit.ExtraSelection:
        sign = self._lines[number].sign
        block = self.document().findBlockByNumber(number)
        text, before = block.text(), len(sign) + 1
        emphasis = QTextEdit.ExtraSelection()
        emphasis.format.setBackground(look.theme.color(_WORD_TOKENS[sign]))
        emphasis.cursor = QTextCursor(block)
        emphasis.cursor.setPosition(block.position() + units(text, before + start))
        end_at = block.position() + units(text, before + end)
        emphasis.cursor.setPosition(end_at, QTextCursor.MoveMode.KeepAnchor)
        return emphasis

    def paint_numbers(self, painter: QPainter, width: int) -> None:
        """Paints the numbers beside the lines that can be seen."""
        if self._look is None:
            return
        theme = self._look.theme
        painter.fillRect(self._numbers.rect(), theme.color("code_background"))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        column = (width - theme.px(SIZES.s)) / 2
        while block.isValid():
            rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
            rect.translate(0, self.viewport().y())
            if rect.top() > self.height():
                break
            line = self._lines[block.blockNumber()] if block.blockNumber() < len(self._lines) else None
            if line is not None:
                if line.sign in _TOKENS:
                    painter.fillRect(
                        QRectF(0, rect.top(), width, rect.height()), theme.color(_TOKENS[line.sign])
                    )
                painter.setPen(theme.color("text_secondary"))
                for place, number in enumerate((line.old, line.new)):
                    if number is not None:
                        box = QRectF(place * column, rect.top(), column, self.fontMetrics().height())
                        painter.drawText(box, Qt.AlignmentFlag.AlignRight, str(number))
            block = block.next()
