"""An agent's icon as a picture: the emoji or image that the user chose, or the first letter of its title."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPixmap

from sidekicks.models import AgentStatus
from sidekicks.ui.theme import Theme


def agent_pixmap(agent: AgentStatus, theme: Theme, size: int, ratio: float = 1.0) -> QPixmap:
    """The icon, `size` device-independent pixels wide and high."""
    return QPixmap(_drawn(agent.icon, agent.title or agent.name, theme, size, ratio))


@lru_cache(maxsize=256)
def _drawn(icon: str, title: str, theme: Theme, size: int, ratio: float) -> QPixmap:
    pixels = max(1, round(size * ratio))
    result = QPixmap(pixels, pixels)
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    box = QRectF(0, 0, pixels, pixels)
    picture = _image(icon, pixels)
    if not picture.isNull():
        target = picture.rect()
        target.moveCenter(box.toRect().center())
        painter.drawPixmap(target, picture)
    elif icon and not _is_path(icon):
        _draw_text(painter, box, icon, 0.92)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("hover"))
        painter.drawRoundedRect(box, pixels * 0.25, pixels * 0.25)
        painter.setPen(theme.color("text_secondary"))
        _draw_text(painter, box, title[:1].upper(), 0.62)
    painter.end()
    result.setDevicePixelRatio(ratio)
    return result


def _draw_text(painter: QPainter, box: QRectF, text: str, share: float) -> None:
    font = QFont(painter.font())
    font.setPixelSize(max(1, round(box.height() * share)))
    painter.setFont(font)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _is_path(icon: str) -> bool:
    return "/" in icon or "\\" in icon or "." in icon


def _image(icon: str, pixels: int) -> QPixmap:
    if not _is_path(icon) or not Path(icon).is_file():
        return QPixmap()
    return QPixmap(icon).scaled(
        pixels, pixels, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
