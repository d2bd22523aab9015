"""The list of completions above the field."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from sidekicks.ui.agents.icon import agent_pixmap
from sidekicks.ui.agents.words import state_word
from sidekicks.ui.composer.completion import Offer
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

MAX_SHOWN = 8
ROW_HEIGHT = 28
OFFER_ROLE = int(Qt.ItemDataRole.UserRole)
_SHEET = """
CompletionPopup { background: $raised; border: 1px solid $border_strong; border-radius: ${r6}px; }
QListWidget { background: transparent; border: none; outline: none; }
"""


class OfferDelegate(QStyledItemDelegate):
    """Paints the `Offer` at `OFFER_ROLE`: icon, its text in bold, then title, state, description in grey."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(
        self,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> QSize:
        """Qt's hook."""
        return QSize(0, self._theme.px(ROW_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Qt's hook."""
        offer: Offer = index.data(OFFER_ROLE)
        theme = self._theme
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("hover"))
            painter.drawRoundedRect(option.rect, theme.px(4), theme.px(4))
        box = option.rect.adjusted(theme.px(SIZES.s), 0, -theme.px(SIZES.s), 0)
        middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.strong_font())
        painter.setPen(theme.color("text"))
        if offer.agent:
            size = theme.px(SIZES.icon)
            at = QPoint(box.left(), box.center().y() - size // 2)
            ratio = painter.device().devicePixelRatioF()
            painter.drawPixmap(at, agent_pixmap(offer.agent, theme, size, ratio))
            box.setLeft(box.left() + size + theme.px(SIZES.s))
        painter.drawText(box, middle, offer.text)
        used = QFontMetrics(theme.strong_font()).horizontalAdvance(offer.text) + theme.px(SIZES.m)
        rest = QRect(box.left() + used, box.top(), max(0, box.width() - used), box.height())
        painter.setFont(theme.body_font())
        painter.setPen(theme.color("text_secondary"))
        state = state_word(offer.agent.state) if offer.agent else ""
        said = "  ·  ".join(part for part in (offer.title, state, offer.description) if part)
        metrics = QFontMetrics(theme.body_font())
        painter.drawText(rest, middle, metrics.elidedText(said, Qt.TextElideMode.ElideRight, rest.width()))
        painter.restore()


class CompletionPopup(QFrame):
    """Shows offers; it never takes the focus from the field. `chosen` gives the one taken."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._list = QListWidget(self)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.itemClicked.connect(self._take)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SIZES.xs, SIZES.xs, SIZES.xs, SIZES.xs)
        layout.addWidget(self._list)
        self.set_theme(theme)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.setStyleSheet(sheet(theme, _SHEET))
        self._list.setItemDelegate(OfferDelegate(theme, self._list))

    def offer(self, offers: Sequence[Offer], above: QRect) -> None:
        """Shows `offers` above the rectangle (in the parent's coordinates), or hides when there are none.

        They are below it where there is no room above.
        """
        self._list.clear()
        for offer in offers:
            item = QListWidgetItem(offer.text)
            item.setData(OFFER_ROLE, offer)
            item.setToolTip(offer.description)
            self._list.addItem(item)
        if not offers:
            self.hide()
            return
        self._list.setCurrentRow(0)
        rows = min(len(offers), MAX_SHOWN)
        height = rows * self._theme.px(ROW_HEIGHT) + 2 * SIZES.xs + 2
        top = above.top() - height - SIZES.xs
        if top < 0:
            top = above.bottom() + SIZES.xs
        self.setGeometry(above.left(), top, above.width(), height)
        self.raise_()
        self.show()

    def move_current(self, step: int) -> None:
        """Goes up or down, around the ends."""
        count = self._list.count()
        self._list.setCurrentRow((self._list.currentRow() + step) % count)

    def take(self) -> None:
        """Chooses the current offer."""
        if self._list.currentRow() >= 0:
            self._take(self._list.currentItem())

    def texts(self) -> list[str]:
        """What is offered, from the top."""
        return [self._list.item(number).text() for number in range(self._list.count())]

    def _take(self, item: QListWidgetItem) -> None:
        self.hide()
        self.chosen.emit(item.data(OFFER_ROLE))
