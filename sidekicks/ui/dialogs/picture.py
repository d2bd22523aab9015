"""An image of a message in full size."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from sidekicks.models import ImagePart
from sidekicks.ui.conversation.picture import Source
from sidekicks.ui.dialogs.base import Dialog
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import Theme

_LEAST = 320
_SHARE = 0.9
"""How much of the window an image may take."""


class PictureDialog(Dialog):
    """Shows an image as large as it is; one that is larger than the window scrolls."""

    def __init__(self, image: ImagePart, theme: Theme, parent: QWidget) -> None:
        title = reveal(image.name or image.mime_type)
        super().__init__(title, theme, parent)
        source = Source(image)
        label = QLabel(self)
        label.setAccessibleName(title)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setPixmap(source.pixmap(source.size, self.devicePixelRatioF()))
        area = QScrollArea(self)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(label)
        self.content.addWidget(area)
        close = self.add_button(self.tr("Close"), "primary")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        room = parent.size() * _SHARE
        frame = theme.px(120)
        width, height = source.size.width() + frame, source.size.height() + frame
        self.resize(max(_LEAST, min(width, room.width())), max(_LEAST, min(height, room.height())))
