"""A short text that says how to do something, in the window itself: it must not need a browser."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTextBrowser, QWidget

from sidekicks.ui.dialogs.base import Dialog
from sidekicks.ui.theme import Theme


class GuideDialog(Dialog):
    """Shows Markdown of ours; its links open nothing. `led` when the way out named `way` was chosen."""

    led = Signal()

    def __init__(
        self, title: str, markdown: str, theme: Theme, parent: QWidget | None = None, *, way: str = ""
    ) -> None:
        super().__init__(title, theme, parent)
        text = QTextBrowser(self)
        text.setOpenLinks(False)
        text.setFrameShape(QTextBrowser.Shape.NoFrame)
        text.document().setDefaultFont(theme.body_font())
        text.setMarkdown(markdown)
        self.content.addWidget(text)
        close = self.add_button(self.tr("Close"), "" if way else "primary")
        close.clicked.connect(self.accept)
        if way:
            lead = self.add_button(way, "primary")
            lead.clicked.connect(self.accept)
            lead.clicked.connect(self.led)
            lead.setDefault(True)
        else:
            close.setDefault(True)
        self.resize(theme.px(560), theme.px(440))
