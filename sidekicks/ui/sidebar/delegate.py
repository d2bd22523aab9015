"""How a row of the list of conversations is painted."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from sidekicks.ui import icons
from sidekicks.ui.agents.icon import agent_pixmap
from sidekicks.ui.sidebar.model import ROW_ROLE, Index
from sidekicks.ui.sidebar.rows import Row
from sidekicks.ui.theme import SIZES, Theme

ROW_HEIGHT = 28
SECTION_HEIGHT = 36


class RowDelegate(QStyledItemDelegate):
    """Paints the section title small and grey, conversations with icon, title and marks at the right."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.shown = ""

    def set_theme(self, theme: Theme) -> None:
        """Paints with `theme` from now on."""
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Qt's hook."""
        row: Row = index.data(ROW_ROLE)
        height = SECTION_HEIGHT if row.kind == "section" else ROW_HEIGHT
        return QSize(0, self._theme.px(height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Qt's hook."""
        row: Row = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.kind == "section":
            self._paint_section(painter, option.rect, index.data())
        else:
            self._paint_background(painter, option, row)
            self._paint_conversation(painter, option.rect, row)
        painter.restore()

    def _paint_section(self, painter: QPainter, rect: QRect, title: str) -> None:
        font = self._theme.small_font()
        font.setWeight(font.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(self._theme.color("text_secondary"))
        box = rect.adjusted(self._theme.px(SIZES.s), self._theme.px(SIZES.s), 0, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)

    def _paint_background(self, painter: QPainter, option: QStyleOptionViewItem, row: Row) -> None:
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        is_shown = bool(row.id) and row.id == self.shown
        if not (hovered or focused or is_shown):
            return
        radius = self._theme.px(4)
        painter.setPen(self._theme.color("accent") if focused else Qt.PenStyle.NoPen)
        fill = self._theme.color("hover")
        if not is_shown:
            fill.setAlphaF(0.6)
        painter.setBrush(fill)
        painter.drawRoundedRect(option.rect.toRectF().adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)

    def _paint_conversation(self, painter: QPainter, rect: QRect, row: Row) -> None:
        theme = self._theme
        ratio = painter.device().devicePixelRatioF()
        size = theme.px(SIZES.icon)
        icon_box = QRect(rect.left() + theme.px(SIZES.s), 0, size, size)
        icon_box.moveCenter(QRect(icon_box.left(), rect.top(), size, rect.height()).center())
        if row.agent:
            painter.drawPixmap(icon_box, agent_pixmap(row.agent, theme, size, ratio))
        else:
            painter.drawPixmap(icon_box, icons.pixmap("channel", theme.color("text_secondary"), size, ratio))
        right = self._paint_marks(painter, rect.adjusted(0, 0, -theme.px(SIZES.s), 0), row, ratio)
        calls = row.unread > 0 or row.permissions > 0 or row.id == self.shown
        font = theme.strong_font() if row.unread or row.permissions else theme.body_font()
        painter.setFont(font)
        painter.setPen(theme.color("text" if calls else "text_secondary"))
        left = icon_box.right() + theme.px(SIZES.s)
        box = QRect(left, rect.top(), max(0, right - left - theme.px(SIZES.xs)), rect.height())
        title = QFontMetrics(font).elidedText(row.title, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)

    def _paint_marks(self, painter: QPainter, rect: QRect, row: Row, ratio: float) -> int:
        """Paints from the right: unread count, busy, permissions. The x where the title must end."""
        theme = self._theme
        right = rect.right()
        if row.unread:
            right = self._paint_pill(painter, rect, right, row.unread)
        if row.busy:
            right = self._paint_icon(painter, rect, right, "state-busy", "accent", ratio)
        if row.permissions:
            if row.permissions > 1:
                right = self._paint_count(painter, rect, right, row.permissions)
            right = self._paint_icon(painter, rect, right, "permission", "warning", ratio)
        return right - theme.px(SIZES.xs)

    def _paint_count(self, painter: QPainter, rect: QRect, right: int, count: int) -> int:
        font = self._count_font()
        text = _count_text(count)
        width = QFontMetrics(font).horizontalAdvance(text)
        painter.setFont(font)
        painter.setPen(self._theme.color("warning"))
        box = QRect(right - width, rect.top(), width, rect.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        return right - width - self._theme.px(2)

    def _paint_pill(self, painter: QPainter, rect: QRect, right: int, count: int) -> int:
        font = self._count_font()
        text = _count_text(count)
        height = self._theme.px(SIZES.l)
        width = max(height, QFontMetrics(font).horizontalAdvance(text) + self._theme.px(SIZES.s))
        pill = QRect(right - width, rect.top() + (rect.height() - height) // 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("border"))
        painter.drawRoundedRect(pill, height / 2, height / 2)
        painter.setFont(font)
        painter.setPen(self._theme.color("text"))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)
        return pill.left() - self._theme.px(SIZES.xs)

    def _count_font(self) -> QFont:
        font = self._theme.small_font()
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _paint_icon(
        self, painter: QPainter, rect: QRect, right: int, name: str, token: str, ratio: float
    ) -> int:
        size = self._theme.px(14)
        box = QRect(right - size, rect.top() + (rect.height() - size) // 2, size, size)
        painter.drawPixmap(box, icons.pixmap(name, self._theme.color(token), size, ratio))
        return right - size - self._theme.px(2)


def _count_text(count: int) -> str:
    return str(count) if count < 100 else "99+"
