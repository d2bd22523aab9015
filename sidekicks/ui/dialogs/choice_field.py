"""One of several values, or several of them, each as a line to tick."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from sidekicks.models import FormField
from sidekicks.ui.check_box import CheckBox
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import Theme


class ChoiceField(QWidget):
    """The choices of a field; where only one can be chosen, ticking it takes the tick from the others."""

    def __init__(self, field: FormField, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._several = field.kind == "choices"
        chosen = field.default if isinstance(field.default, tuple) else (field.default,)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self._boxes: dict[str, CheckBox] = {}
        for value, title in field.choices:
            box = CheckBox(reveal(title), theme, self)
            box.setChecked(value in chosen)
            box.clicked.connect(self._ticked)
            column.addWidget(box)
            self._boxes[value] = box

    def value(self) -> str | tuple[str, ...] | None:
        """What is ticked: all of it, or the one; None for nothing."""
        ticked = tuple(value for value, box in self._boxes.items() if box.isChecked())
        if self._several:
            return ticked or None
        return ticked[0] if ticked else None

    def _ticked(self) -> None:
        ticked = self.sender()
        if not self._several:
            for box in self._boxes.values():
                if box is not ticked:
                    box.setChecked(False)
