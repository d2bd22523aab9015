"""What a search found, as a list: whose conversation, who, when, and the words in their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sidekicks.models import Found
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import SIZES, Theme

ROW_HEIGHT = 52
_ROLE = int(Qt.ItemDataRole.UserRole)
_BEFORE = 30
"""Characters before the first of the words that are shown where the snippet is too long."""


class ResultDelegate(QStyledItemDelegate):
    """Two lines: where and who and when in grey, then the words, those that were looked for bold."""

    def __init__(self, theme: Theme, heading: Callable[[Found], str], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._heading = heading

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Qt's hook."""
        return QSize(0, self._theme.px(ROW_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Qt's hook."""
        found: Found = index.data(_ROLE)
        theme = self._theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("hover"))
            painter.drawRoundedRect(option.rect, theme.px(4), theme.px(4))
        box = option.rect.adjusted(
            theme.px(SIZES.s), theme.px(SIZES.xs), -theme.px(SIZES.s), -theme.px(SIZES.xs)
        )
        top = QRect(box.left(), box.top(), box.width(), box.height() // 2)
        painter.setFont(theme.small_font())
        painter.setPen(theme.color("text_secondary"))
        heading = QFontMetrics(theme.small_font()).elidedText(
            self._heading(found), Qt.TextElideMode.ElideRight, top.width()
        )
        painter.drawText(top, Qt.AlignmentFlag.AlignVCenter, heading)
        self._paint_snippet(painter, QRect(box.left(), top.bottom(), box.width(), box.height() // 2), found)
        painter.restore()

    def _paint_snippet(self, painter: QPainter, box: QRect, found: Found) -> None:
        theme, left = self._theme, box.left()
        for text, is_hit in pieces(found):
            font = theme.strong_font() if is_hit else theme.body_font()
            metrics = QFontMetrics(font)
            room = box.right() - left
            if room <= 0:
                return
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            width = metrics.horizontalAdvance(shown)
            if is_hit:
                painter.fillRect(QRect(left, box.top() + 2, width, box.height() - 4), theme.color("found"))
            painter.setFont(font)
            painter.setPen(theme.color("text"))
            painter.drawText(
                QRect(left, box.top(), room + 1, box.height()), Qt.AlignmentFlag.AlignVCenter, shown
            )
            left += width
            if shown != text:
                return


class Results(QListWidget):
    """`chosen` is the `Found` that was clicked, or taken by Enter."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, heading: Callable[[Found], str], parent: QWidget) -> None:
        super().__init__(parent)
        self._heading = heading
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemClicked.connect(self._take)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self.setItemDelegate(ResultDelegate(theme, self._heading, self))

    def show_found(self, found: Sequence[Found]) -> None:
        """Lists exactly these."""
        self.clear()
        for one in found:
            said = "".join(text for text, _ in pieces(one))
            item = QListWidgetItem(said, self)
            item.setData(_ROLE, one)
            item.setData(int(Qt.ItemDataRole.AccessibleTextRole), f"{self._heading(one)}: {said}")
        if found:
            self.setCurrentRow(0)

    def texts(self) -> list[str]:
        """What is listed, from the top."""
        return [self.item(number).text() for number in range(self.count())]

    def take_current(self) -> None:
        """Chooses the current one."""
        if self.currentRow() >= 0:
            self._take(self.item(self.currentRow()))

    def move_current(self, step: int) -> None:
        """Goes up or down."""
        if self.count():
            self.setCurrentRow(min(max(self.currentRow() + step, 0), self.count() - 1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.take_current()
            return
        super().keyPressEvent(event)

    def _take(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(_ROLE))


def pieces(found: Found) -> list[tuple[str, bool]]:
    """The snippet on one line, cut into what was looked for (True) and what is around it."""
    text, at = found.snippet, 0
    spans = [span for span in found.spans if span[0] < span[1] <= len(text)]
    made: list[tuple[str, bool]] = []
    if spans and spans[0][0] > 2 * _BEFORE:
        at = spans[0][0] - _BEFORE
        made.append(("…", False))
    for start, end in spans:
        if start < at:
            continue
        made += [(_line(text[at:start]), False), (_line(text[start:end]), True)]
        at = end
    made.append((_line(text[at:]), False))
    return [piece for piece in made if piece[0]]


def _line(text: str) -> str:
    return reveal(" ".join(text.split("\n")))
