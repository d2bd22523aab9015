"""Says in a corner where the link under the mouse leads."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from sidekicks.ui.conversation.look import Look
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import SIZES


class LinkTarget(QLabel):
    """At the lower left, as browsers do; there only while a link is pointed at."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._corner = parent
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAutoFillBackground(True)
        self.hide()

    def point(self, url: str, look: Look) -> None:
        """Shows an address as it really is; hides when it is empty."""
        if not url:
            self.hide()
            return
        theme = look.theme
        self.setFont(theme.small_font())
        palette = look.quiet()
        palette.setColor(self.backgroundRole(), theme.color("raised"))
        self.setPalette(palette)
        self.setMargin(theme.px(SIZES.xs))
        room = self._corner.width() * 2 // 3
        inner = room - 2 * theme.px(SIZES.xs)
        text = reveal(url)
        self.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, inner))
        self.setAccessibleName(text)
        self.adjustSize()
        self.move(0, self._corner.height() - self.height())
        self.show()
        self.raise_()
