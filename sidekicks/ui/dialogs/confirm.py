"""A question before something that cannot be undone, or that leaves the program."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from sidekicks.ui.dialogs.base import Dialog
from sidekicks.ui.theme import Theme


class ConfirmDialog(Dialog):
    """Says what will happen (`text`, and `detail` word for word); `accepted` when the user agrees."""

    def __init__(
        self,
        title: str,
        text: str,
        agree: str,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        detail: str = "",
        danger: bool = False,
    ) -> None:
        super().__init__(title, theme, parent)
        heading = QLabel(title, self)
        heading.setFont(theme.strong_font())
        heading.setWordWrap(True)
        self.content.addWidget(heading)
        self._add(text)
        if detail:
            self._add(detail).setFont(theme.code_font())
        self.content.addStretch(1)
        cancel = self.add_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.agree = self.add_button(agree, "danger" if danger else "primary")
        self.agree.clicked.connect(self.accept)
        (cancel if danger else self.agree).setDefault(True)
        (cancel if danger else self.agree).setFocus()
        self.setMinimumWidth(theme.px(400))
        self.setMaximumWidth(theme.px(640))

    def words(self) -> str:
        """Everything the dialog says."""
        return "\n".join(label.text() for label in self.findChildren(QLabel))

    def _add(self, text: str) -> QLabel:
        label = QLabel(text, self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.content.addWidget(label)
        return label
