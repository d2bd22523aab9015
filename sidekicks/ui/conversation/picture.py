"""An image of a message: read from the bytes that came with it, never from a file or the network."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImageReader, QPainter, QPainterPath, QPaintEvent, QPixmap, QPixmapCache
from PySide6.QtWidgets import QAbstractButton, QWidget

from sidekicks.models import ImagePart
from sidekicks.ui.conversation.contents import ImageContent
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import SIZES

_FORMATS = frozenset((b"png", b"jpeg", b"gif", b"webp", b"bmp"))
"""Formats that hold pixels alone; others, as SVG, can name files."""
_MOST_PIXELS = 50_000_000
_TALLEST = 320


class Source:
    """The bytes of an image, read when pixels are wanted. `size` is empty if it is none that can be shown."""

    def __init__(self, image: ImagePart) -> None:
        self._image = image
        reader, _ = self._reader()
        known = bytes(reader.format().data()) in _FORMATS
        size = reader.size() if known else QSize()
        fits = size.isValid() and 0 < size.width() * size.height() <= _MOST_PIXELS
        self.size = size if fits else QSize()

    def pixmap(self, size: QSize, ratio: float) -> QPixmap:
        """The image in `size` logical pixels on a screen of `ratio`; a null pixmap if it is damaged."""
        wanted = QSize(round(size.width() * ratio), round(size.height() * ratio))
        key = f"message-image-{hash(self._image.data)}-{wanted.width()}x{wanted.height()}"
        found = QPixmap()
        if not QPixmapCache.find(key, found):
            reader, buffer = self._reader()
            reader.setScaledSize(wanted)
            found = QPixmap.fromImageReader(reader)
            buffer.close()
            QPixmapCache.insert(key, found)
        found.setDevicePixelRatio(ratio)
        return found

    def _reader(self) -> tuple[QImageReader, QBuffer]:
        buffer = QBuffer()
        buffer.setData(QByteArray(self._image.data))
        buffer.open(QIODevice.OpenModeFlag.ReadOnly)
        return QImageReader(buffer), buffer


class Picture(QAbstractButton):
    """The widget of an `ImageContent`; pressed, it asks for the image to be shown large."""

    enlarged = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row: Row | None = None
        self._image: ImagePart | None = None
        self._source: Source | None = None
        self._look: Look | None = None
        self._size = QSize()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(self._ask)

    def bind(self, row: Row, width: int, look: Look) -> int:
        """Shows the row's image, no larger than it is; the height."""
        content = row.content
        assert isinstance(content, ImageContent)
        self.row, self._look = row, look
        if content.image is not self._image or self._source is None:
            self._image, self._source = content.image, Source(content.image)
        named = reveal(content.image.name or content.image.mime_type)
        shown = not self._source.size.isEmpty()
        self.setText(named if shown else self.tr("{name} cannot be shown").format(name=named))
        self.setAccessibleName(self.tr("Image: {name}").format(name=self.text()))
        self.setToolTip(self.tr("{name}: show large").format(name=named) if shown else "")
        self.setEnabled(shown)
        self.setCursor(Qt.CursorShape.PointingHandCursor if shown else Qt.CursorShape.ArrowCursor)
        room = QSize(width, look.theme.px(_TALLEST))
        size = self._source.size
        if size.width() > room.width() or size.height() > room.height():
            size = size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
        self._size = size.expandedTo(QSize(1, 1)) if shown else QSize()
        self.update()
        return self._size.height() if shown else look.theme.px(SIZES.line)

    def hitButton(self, pos: QPoint) -> bool:
        """Only the image itself is pressed; the row is wider."""
        return self._box().contains(QPointF(pos))

    def _box(self) -> QRectF:
        return QRectF(0, 0, self._size.width(), self._size.height())

    def _ask(self) -> None:
        self.enlarged.emit(self._image)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the image with a fine border; the name of one that cannot be shown."""
        del event
        if self._look is None or self._source is None:
            return
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pixmap = (
            QPixmap() if self._size.isEmpty() else self._source.pixmap(self._size, self.devicePixelRatioF())
        )
        if pixmap.isNull():
            painter.setFont(theme.small_font())
            painter.setPen(theme.color("text_secondary"))
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignVCenter, self.text())
        else:
            radius = theme.px(SIZES.radius)
            outline = QPainterPath()
            outline.addRoundedRect(self._box().adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
            painter.setClipPath(outline)
            painter.drawPixmap(0, 0, pixmap)
            painter.setClipping(False)
            painter.setPen(theme.color("accent" if self.hasFocus() else "border"))
            painter.drawPath(outline)
        painter.end()
