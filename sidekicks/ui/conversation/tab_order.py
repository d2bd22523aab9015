"""The keyboard's way through a conversation, whose widgets show now one row and now another."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget


def follow(first: QWidget, rows: Iterable[QWidget]) -> None:
    """Makes Tab go from `first` through the rows' widgets, from top to bottom."""
    last = first
    for row in rows:
        for widget in _stops(row):
            QWidget.setTabOrder(last, widget)
            last = widget


def _stops(row: QWidget) -> list[QWidget]:
    """Where the keyboard can stop in a row, in order."""
    found = [row] if _takes_tab(row) else []
    inner = [child for child in row.findChildren(QWidget) if child.isVisible() and _takes_tab(child)]
    places = {child: child.mapTo(row, QPoint()) for child in inner}
    return found + sorted(inner, key=lambda child: (places[child].y(), places[child].x()))


def _takes_tab(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
