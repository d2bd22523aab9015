"""Plain text in the fixed font, in a box: a command, an input, an output."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout, QPlainTextEdit, QWidget

from sidekicks.ui.conversation.look import Look
from sidekicks.ui.theme import SIZES

_TALLEST = 480
_MEASURED_LINES = 200


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

    def show_text(self, text: str, width: int, look: Look) -> int:
        """Shows the text in `width` pixels; its height."""
        theme = look.theme
        palette = theme.palette()
        palette.setColor(QPalette.ColorRole.Base, theme.color("code_background"))
        self.setPalette(palette)
        self.setFont(theme.code_font())
        self.document().setDocumentMargin(theme.px(SIZES.s))
        if self.toPlainText() != text:
            self.setPlainText(text)
        self.resize(width, self.height())
        tallest = theme.px(_TALLEST)
        height = tallest if self.blockCount() > _MEASURED_LINES else min(tallest, self._text_height())
        scrolls = height == tallest
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
        return height

    def _text_height(self) -> int:
        layout = self.document().documentLayout()
        assert isinstance(layout, QPlainTextDocumentLayout)
        height = 2 * self.document().documentMargin()
        block = self.document().begin()
        while block.isValid():
            height += layout.blockBoundingRect(block).height()
            block = block.next()
        return math.ceil(height)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Scrolls inside only where there is something to scroll."""
        if self.verticalScrollBar().maximum() == 0:
            event.ignore()
        else:
            super().wheelEvent(event)
