"""Plain text in the fixed font, in a box: a command, an input, an output."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import (
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout, QPlainTextEdit, QTextEdit, QWidget

from sidekicks.ui.conversation.look import Look
from sidekicks.ui.positions import folded, units
from sidekicks.ui.theme import SIZES, Theme

_TALLEST = 480
_MEASURED_LINES = 200
_MOST_MARKS = 500


class Corners(QWidget):
    """Lies over a box and rounds it: what a text edit paints is square."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._look: Look | None = None
        self._around = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def dress(self, look: Look, around: str) -> None:
        """Draws in a look, on a background that is the token `around`."""
        self._look, self._around = look, around
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the corners in the colour of what is around, and the border."""
        del event
        if self._look is None:
            return
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, radius = QRectF(self.rect()), theme.px(SIZES.radius)
        inside, outside = QPainterPath(), QPainterPath()
        inside.addRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        outside.addRect(box)
        painter.fillPath(outside.subtracted(inside), theme.color(self._around))
        painter.setPen(theme.color("border"))
        painter.drawPath(inside)
        painter.end()


class CodeText(QPlainTextEdit):
    """Text that can be selected and copied. What is taller than a bound scrolls inside."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setAutoFillBackground(True)
        self.around = "background"
        self._corners = Corners(self)
        self._colours: list[QTextEdit.ExtraSelection] = []
        self._marked = False

    def show_text(self, text: str, width: int, look: Look) -> int:
        """Shows the text in `width` pixels; its height."""
        theme = look.theme
        palette = theme.palette()
        palette.setColor(QPalette.ColorRole.Base, theme.color("code_background"))
        palette.setColor(QPalette.ColorRole.Window, theme.color("code_background"))
        self.setPalette(palette)
        # Below a widget with a style sheet the viewport keeps the palette it was made with.
        self.viewport().setPalette(palette)
        self.setFont(theme.code_font())
        self.verticalScrollBar().setStyleSheet(theme.scroll_bar_style())
        self.document().setDocumentMargin(self._margin(theme))
        self._say(text)
        self.resize(width, self.height())
        if not self.isVisible():
            # Qt tells a hidden widget its size when it is shown; the text is to be measured now.
            margins = self.viewportMargins()
            self.viewport().resize(width - margins.left() - margins.right(), self.height())
            self.resizeEvent(QResizeEvent(self.viewport().size(), QSize()))
        self._corners.dress(look, self.around)
        tallest = theme.px(_TALLEST)
        height = tallest if self.blockCount() > _MEASURED_LINES else min(tallest, self._text_height())
        scrolls = height == tallest
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
        return height

    def colour(self, selections: list[QTextEdit.ExtraSelection]) -> None:
        """Colours what is shown; marks of words come on top."""
        self._colours = selections
        self._marked = False
        self.setExtraSelections(selections)

    def mark(self, needle: str, look: Look) -> None:
        """Marks each place where `needle` (folded) stands; an empty one marks none."""
        marks: list[QTextEdit.ExtraSelection] = []
        text = folded(self.toPlainText()) if needle else ""
        at = text.find(needle) if needle else -1
        while at >= 0 and len(marks) < _MOST_MARKS:
            mark = QTextEdit.ExtraSelection()
            mark.format.setBackground(look.theme.color("found"))
            mark.format.setForeground(look.theme.color("text"))
            mark.cursor = QTextCursor(self.document())
            mark.cursor.setPosition(units(text, at))
            mark.cursor.setPosition(units(text, at + len(needle)), QTextCursor.MoveMode.KeepAnchor)
            marks.append(mark)
            at = text.find(needle, at + len(needle))
        if marks or self._marked:
            self._marked = bool(marks)
            self.setExtraSelections([*self._colours, *marks])

    def _say(self, text: str) -> None:
        """Shows the text; what grows at its end, as the output of a command, is followed only from there."""
        known = self.toPlainText()
        if text == known:
            return
        bar = self.verticalScrollBar()
        if not known or not text.startswith(known):
            self.setPlainText(text)
            return
        followed, place = bar.value() == bar.maximum(), bar.value()
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text[len(known) :])
        bar.setValue(bar.maximum() if followed else place)

    def _margin(self, theme: Theme) -> int:
        return theme.px(SIZES.s)

    def _text_height(self) -> int:
        layout = self.document().documentLayout()
        assert isinstance(layout, QPlainTextDocumentLayout)
        height = self.document().documentMargin()  # The last line contains the one below.
        block = self.document().begin()
        while block.isValid():
            height += layout.blockBoundingRect(block).height()
            block = block.next()
        return math.ceil(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keeps the corners over the whole box."""
        super().resizeEvent(event)
        self._corners.setGeometry(self.rect())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls inside only where there is something to scroll."""
        if self.verticalScrollBar().maximum() == 0:
            event.ignore()
        else:
            super().wheelEvent(event)
