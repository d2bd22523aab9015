"""The icons of `resources/icons`, in a colour of the theme and sharp at any scale of the screen."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton

from sidekicks.resources import resource

_APP_SIZES = (16, 24, 32, 48, 64, 128, 256)


@lru_cache(maxsize=64)
def _source(name: str) -> str:
    return (resource("icons") / f"{name}.svg").read_text("utf-8")


def pixmap(name: str, color: QColor, size: int, ratio: float = 1.0) -> QPixmap:
    """`resources/icons/<name>.svg` in `color`, `size` device-independent pixels wide and high."""
    return QPixmap(_pixmap(name, color.name(), size, ratio))


@lru_cache(maxsize=512)
def _pixmap(name: str, color: str, size: int, ratio: float) -> QPixmap:
    pixels = max(1, round(size * ratio))
    result = QPixmap(pixels, pixels)
    result.fill(Qt.GlobalColor.transparent)
    renderer = QSvgRenderer(QByteArray(_source(name).replace("currentColor", color).encode()))
    painter = QPainter(result)
    renderer.render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    result.setDevicePixelRatio(ratio)
    return result


def icon(name: str, color: QColor, size: int = 16) -> QIcon:
    """The same as an icon for buttons and menus, for the scale of every screen."""
    result = QIcon()
    for ratio in {screen.devicePixelRatio() for screen in QGuiApplication.screens()}:
        result.addPixmap(pixmap(name, color, size, ratio))
    return result


def dress(button: QAbstractButton, name: str, color: QColor, size: int) -> None:
    """Gives a button an icon of this size."""
    button.setIcon(icon(name, color, size))
    button.setIconSize(QSize(size, size))


def app_icon() -> QIcon:
    """The program's own icon."""
    result = QIcon()
    for size in _APP_SIZES:
        result.addPixmap(pixmap("sidekicks", QColor("black"), size))
    return result
