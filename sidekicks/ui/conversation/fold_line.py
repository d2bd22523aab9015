"""One line that folds something away: reasoning, or a tool call with how it stands."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QWidget

from sidekicks.models import ToolKind, ToolPart
from sidekicks.ui.conversation import phrases
from sidekicks.ui.conversation.contents import ThoughtContent, ToolContent
from sidekicks.ui.conversation.glyphs import Glyph, draw
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import SIZES

_LINE = 24
_USUAL: Final[tuple[ToolKind, ...]] = ("read", "edit", "search", "execute", "think", "fetch")


class FoldLine(QAbstractButton):
    """The widget of a `ThoughtContent` or a `ToolContent`; checked while unfolded."""

    folded = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row: Row | None = None
        self._look: Look | None = None
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Window)
        self.clicked.connect(self._clicked)

    def bind(self, row: Row, width: int, look: Look) -> int:
        """Shows the row's line; the height."""
        del width
        content = row.content
        assert isinstance(content, ThoughtContent | ToolContent)
        self.row = row
        if look is not self._look:
            self._look = look
            self.setPalette(look.theme.palette())
        self.setChecked(content.opened)
        if isinstance(content, ThoughtContent):
            self.setText(self._thought(content))
            self.setAccessibleName(self.text())
            self.setToolTip("")
        else:
            tool = content.tool
            word = phrases.tool_word(tool.kind)
            self.setText(_one_line(tool))
            self.setAccessibleName(f"{word} {self.text()}, {phrases.tool_status(tool)}")
            self.setToolTip(phrases.tool_status(tool))
        self.update()
        return look.theme.px(_LINE)

    def _thought(self, content: ThoughtContent) -> str:
        if content.running:
            return self.tr("Thinking…")
        if content.seconds is None or content.seconds < 1:
            return self.tr("Thought")
        return self.tr("Thought for {duration}").format(duration=phrases.duration(content.seconds))

    def _clicked(self) -> None:
        self.folded.emit(self.row)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints chevron, words, and the status at the right."""
        del event
        if self._look is None or self.row is None:
            return
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        if self.underMouse() or self.hasFocus():
            painter.setPen(theme.color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("hover"))
            painter.drawRoundedRect(
                box.adjusted(0.5, 0.5, -0.5, -0.5), theme.px(SIZES.xs), theme.px(SIZES.xs)
            )
        icon = theme.px(SIZES.m)
        chevron = QRectF(theme.px(SIZES.xs), (box.height() - icon) / 2, icon, icon)
        draw(painter, "open" if self.isChecked() else "closed", chevron, theme.color("text_secondary"))
        left = chevron.right() + theme.px(SIZES.xs)
        content = self.row.content
        if isinstance(content, ToolContent):
            self._paint_tool(painter, box, left, content.tool)
        else:
            painter.setFont(theme.body_font())
            painter.setPen(theme.color("text_secondary"))
            painter.drawText(box.adjusted(left, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()

    def _paint_tool(self, painter: QPainter, box: QRectF, left: float, tool: ToolPart) -> None:
        assert self._look is not None
        theme = self._look.theme
        painter.setFont(theme.small_font())
        painter.setPen(theme.color("text_secondary"))
        word = phrases.tool_word(tool.kind)
        painter.drawText(box.adjusted(left, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, word)
        metrics = QFontMetricsF(theme.small_font())
        # Titles stand below each other in any language.
        widest = max(metrics.horizontalAdvance(phrases.tool_word(kind)) for kind in _USUAL)
        left += max(widest, metrics.horizontalAdvance(word)) + theme.px(SIZES.s)
        right = self._paint_status(painter, box, tool) - theme.px(SIZES.s)
        font = theme.code_font()
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        title = QFontMetricsF(font).elidedText(self.text(), Qt.TextElideMode.ElideRight, max(0, right - left))
        painter.drawText(QRectF(left, 0, right - left, box.height()), Qt.AlignmentFlag.AlignVCenter, title)

    def _paint_status(self, painter: QPainter, box: QRectF, tool: ToolPart) -> float:
        """Paints sign and exit code; where they begin."""
        assert self._look is not None
        theme = self._look.theme
        signs: dict[str, tuple[Glyph, str]] = {
            "pending": ("pending", "text_secondary"),
            "in_progress": ("running", "accent"),
            "completed": ("done", "success"),
            "failed": ("failed", "danger"),
        }
        glyph, token = signs[tool.status]
        right = box.right() - theme.px(SIZES.s)
        if tool.exit_code:
            code = str(tool.exit_code)
            painter.setPen(theme.color(token))
            painter.drawText(
                QRectF(0, 0, right, box.height()),
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
                code,
            )
            right -= QFontMetricsF(theme.small_font()).horizontalAdvance(code) + theme.px(2)
        size = theme.px(14)
        draw(painter, glyph, QRectF(right - size, (box.height() - size) / 2, size, size), theme.color(token))
        return right - size


def _one_line(tool: ToolPart) -> str:
    title = " ".join(tool.title.split()) or tool.kind
    return reveal(title)
