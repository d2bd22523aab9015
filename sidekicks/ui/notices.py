"""Quiet bars that say in one sentence what the user should know, and lead to where it can be seen to."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from sidekicks.ui import icons
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

_SHEET = """
Notice { background: $surface; border: none; border-bottom: 1px solid $border; }
Notice[framed="true"] { background: $raised; border: 1px solid $border; border-radius: ${r6}px; }
"""


class Notice(QFrame):
    """Icon, sentence, perhaps a button, perhaps a way to dismiss it. `token` colours the icon alone."""

    pressed = Signal()
    dismissed = Signal()

    def __init__(self, icon: str, token: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon_name, self._token = icon, token
        self._icon = QLabel(self)
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._button = QPushButton(self)
        self._button.setProperty("role", "link")
        self._button.hide()
        self._button.clicked.connect(self.pressed)
        self._more: list[QPushButton] = []
        self._close = QToolButton(self)
        self._close.hide()
        self._close.clicked.connect(self._dismiss)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(SIZES.l, SIZES.xs, SIZES.s, SIZES.xs)
        self._line.setSpacing(SIZES.s)
        self._line.addWidget(self._icon)
        self._line.addWidget(self._text, 1)
        self._line.addWidget(self._button)
        self._line.addWidget(self._close)
        self.set_theme(theme)
        self.hide()

    def say(self, text: str, button: str = "", *, detail: str = "", dismissable: bool = False) -> None:
        """Shows the sentence; an empty one hides the bar."""
        self._text.setText(text)
        self._text.setToolTip(detail)
        self._button.setText(button)
        self._button.setVisible(bool(button))
        self._close.setVisible(dismissable)
        self._close.setToolTip(self.tr("Dismiss"))
        self._close.setAccessibleName(self.tr("Dismiss"))
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def add_button(self) -> QPushButton:
        """Adds another way out, beside the bar's own."""
        button = QPushButton(self)
        button.setProperty("role", "link")
        button.setFont(self._button.font())
        self._line.insertWidget(self._line.indexOf(self._close), button)
        self._more.append(button)
        return button

    def text(self) -> str:
        """The sentence shown, or empty."""
        return "" if self.isHidden() else self._text.text()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self.setStyleSheet(sheet(theme, _SHEET))
        self._text.setFont(theme.body_font())
        for button in (self._button, *self._more):
            button.setFont(theme.body_font())
        ratio = self.devicePixelRatioF()
        self._icon.setPixmap(
            icons.pixmap(self._icon_name, theme.color(self._token), theme.px(SIZES.icon), ratio)
        )
        icons.dress(self._close, "close", theme.color("text_secondary"), theme.px(SIZES.icon))

    def _dismiss(self) -> None:
        self.hide()
        self.dismissed.emit()


class Notices(QWidget):
    """The bars at the top of the conversation, the most urgent first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.permission = Notice("permission", "warning", theme, self)
        self.config = Notice("warning", "danger", theme, self)
        self.history = Notice("warning", "warning", theme, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for notice in (self.permission, self.config, self.history):
            layout.addWidget(notice)

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        for notice in (self.permission, self.config, self.history):
            notice.set_theme(theme)
