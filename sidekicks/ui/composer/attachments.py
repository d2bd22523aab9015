"""Images and files that go with the message that is being written."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QImage, QImageWriter, QKeyEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from sidekicks.models import FilePart, ImagePart
from sidekicks.ui import icons
from sidekicks.ui.flow import FlowLayout
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

THUMBNAIL = 32
WIDEST_NAME = 200
"""Device-independent pixels at zoom 1; a longer name is shortened in its middle."""
_SHEET = """
QToolButton { background: $surface; border: 1px solid $border; color: $text; padding: ${p3}px ${p8}px; }
"""

Attachment = ImagePart | FilePart


class Chip(QToolButton):
    """One of them; a click or Delete removes it."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete and Backspace are clicks."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.click()
        else:
            super().keyPressEvent(event)


class Attachments(QWidget):
    """A chip for each; a click, or Delete on it, takes it away. `changed` when there are others."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: list[Attachment] = []
        self._shown: list[Chip] = []
        rows = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        rows.setHeightForWidth(True)
        self.setSizePolicy(rows)
        self._chips = FlowLayout(self)
        self._chips.setContentsMargins(0, 0, 0, 0)
        self._chips.setSpacing(SIZES.xs)
        self.set_theme(theme)

    @property
    def parts(self) -> tuple[Attachment, ...]:
        """What goes with the message."""
        return tuple(self._parts)

    def add(self, part: Attachment) -> None:
        """Something more goes with it."""
        self.put([*self._parts, part])

    def put(self, parts: Iterable[Attachment]) -> None:
        """Exactly these go with it."""
        self._parts = list(parts)
        self._rebuild()
        self.changed.emit()

    def chips(self) -> list[Chip]:
        """The chips, in order."""
        return list(self._shown)

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.setStyleSheet(sheet(theme, _SHEET))
        self._rebuild()

    def _rebuild(self) -> None:
        while (item := self._chips.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._shown = [self._chip(number, part) for number, part in enumerate(self._parts)]
        for chip in self._shown:
            self._chips.addWidget(chip)
            chip.show()
        self.setVisible(bool(self._parts))

    def _chip(self, number: int, part: Attachment) -> Chip:
        chip = Chip(self)
        chip.setFont(self._theme.small_font())
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        name = name_of(part)
        widest = self._theme.px(WIDEST_NAME)
        shown = QFontMetrics(chip.font()).elidedText(name, Qt.TextElideMode.ElideMiddle, widest)
        chip.setText(f"{shown}  ✕")
        if isinstance(part, ImagePart):
            picture = QPixmap()
            picture.loadFromData(part.data)
            size = self._theme.px(THUMBNAIL)
            chip.setIcon(picture)
            chip.setIconSize(QSize(size, size))
        else:
            icons.dress(chip, "file", self._theme.color("text_secondary"), self._theme.px(SIZES.icon))
        chip.setToolTip(self.tr("Remove {name}").format(name=name))
        chip.setAccessibleName(chip.toolTip())
        chip.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        chip.clicked.connect(partial(self._remove, number))
        return chip

    def _remove(self, number: int) -> None:
        had_focus = self._shown[number].hasFocus()
        self.put([part for place, part in enumerate(self._parts) if place != number])
        if had_focus and self._shown:
            self._shown[min(number, len(self._shown) - 1)].setFocus()


def name_of(part: Attachment) -> str:
    """What to call it."""
    return Path(part.path).name if isinstance(part, FilePart) else part.name or part.mime_type


def image_of(image: QImage, name: str) -> ImagePart:
    """An image from the clipboard as what is sent: PNG."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return ImagePart(mime_type="image/png", data=bytes(data.data()), name=name)
