"""The quick switcher: a few letters and Enter lead to any conversation, agent or command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from sidekicks.ui.composer.completion import Offer
from sidekicks.ui.composer.popup import OFFER_ROLE, OfferDelegate
from sidekicks.ui.search.fuzzy import score
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

MOST = 50
_ROLE = OFFER_ROLE + 1
KEY_PRESS = QEvent.Type.KeyPress
_SHEET = """
Switcher { background: $raised; border: 1px solid $border_strong; border-radius: ${r6}px; }
QListWidget { background: transparent; border: none; outline: none; color: $text; }
QListWidget::item { padding: ${p4}px ${p8}px; border-radius: ${r4}px; }
QListWidget::item:selected { background: $hover; color: $text; }
"""


@dataclass(frozen=True)
class Destination:
    """Something that can be chosen. `detail` says what it is; it is found by both."""

    name: str
    detail: str
    go: Callable[[], None]


class Switcher(QDialog):
    """Lists what fits; Enter takes the first, the arrows choose another one, Escape goes away."""

    def __init__(self, places: Sequence[Destination], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self._places = places
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Go to"))
        self.setModal(True)
        self.setStyleSheet(sheet(theme, _SHEET))
        self.setPalette(theme.palette())
        self.field = QLineEdit(self)
        self.field.setFont(theme.body_font())
        self.field.setPlaceholderText(self.tr("Go to a conversation, an agent or a command"))
        self.field.setAccessibleName(self.tr("Go to"))
        self._list = QListWidget(self)
        self._list.setFont(theme.body_font())
        self._list.setAccessibleName(self.tr("Where to go"))
        self._list.setItemDelegate(OfferDelegate(theme, self._list))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(SIZES.s, SIZES.s, SIZES.s, SIZES.s)
        column.setSpacing(SIZES.s)
        column.addWidget(self.field)
        column.addWidget(self._list, 1)
        self.field.textChanged.connect(self._show)
        self.field.installEventFilter(self)
        self._list.itemClicked.connect(self._take)
        width = min(theme.px(520), parent.width() - 2 * SIZES.xl)
        self.resize(width, min(theme.px(400), parent.height() - 2 * SIZES.xl))
        self.move(parent.mapToGlobal(parent.rect().topLeft()))
        self.move(self.x() + (parent.width() - width) // 2, self.y() + theme.px(SIZES.xl) * 2)
        self._show("")

    def texts(self) -> list[str]:
        """What is listed, from the top."""
        return [self._list.item(number).data(_ROLE).name for number in range(self._list.count())]

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """The arrows move in the list while one types in the field."""
        if (
            watched is not self.field
            or event.type() != QEvent.Type.KeyPress
            or not isinstance(event, QKeyEvent)
        ):
            return False
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is not None and self._list.count():
            self._list.setCurrentRow((self._list.currentRow() + step) % self._list.count())
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._list.currentRow() >= 0:
                self._take(self._list.item(self._list.currentRow()))
            return True
        return False

    def _show(self, typed: str) -> None:
        scored = [(self._score(typed, place), number) for number, place in enumerate(self._places)]
        best = sorted(
            ((points, number) for points, number in scored if points is not None),
            key=lambda pair: (-pair[0], pair[1]),
        )
        self._list.clear()
        for _, number in best[:MOST]:
            place = self._places[number]
            item = QListWidgetItem(f"{place.name}, {place.detail}", self._list)
            item.setData(OFFER_ROLE, Offer(place.name, place.detail))
            item.setData(_ROLE, place)
        if best:
            self._list.setCurrentRow(0)

    @staticmethod
    def _score(typed: str, place: Destination) -> int | None:
        by_name = score(typed, place.name)
        by_all = score(typed, f"{place.name} {place.detail}")
        return by_name if by_name is not None else None if by_all is None else by_all - 500

    def _take(self, item: QListWidgetItem) -> None:
        place: Destination = item.data(_ROLE)
        self.accept()
        place.go()
