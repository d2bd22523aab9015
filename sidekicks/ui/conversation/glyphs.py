"""The small signs of the conversation, drawn: sharp at any scale, and there whatever fonts a machine has."""

from __future__ import annotations

from typing import Literal, TypeAlias

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

Glyph: TypeAlias = Literal["closed", "open", "done", "failed", "running", "pending", "down"]

_LINES: dict[Glyph, tuple[tuple[float, float], ...]] = {
    "closed": ((0.38, 0.25), (0.64, 0.5), (0.38, 0.75)),
    "open": ((0.25, 0.38), (0.5, 0.64), (0.75, 0.38)),
    "done": ((0.2, 0.54), (0.41, 0.75), (0.8, 0.28)),
    "down": ((0.25, 0.5), (0.5, 0.75), (0.75, 0.5)),
}


def draw(painter: QPainter, glyph: Glyph, box: QRectF, color: QColor) -> None:
    """Draws a glyph into a square."""
    size = box.width()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(color, size * 0.1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if glyph in _LINES:
        points = [QPointF(box.x() + x * size, box.y() + y * size) for x, y in _LINES[glyph]]
        painter.drawPolyline(points)
        if glyph == "down":
            middle = box.x() + size / 2
            painter.drawLine(QPointF(middle, box.y() + size * 0.22), QPointF(middle, box.y() + size * 0.74))
    elif glyph == "failed":
        inner = box.adjusted(size * 0.26, size * 0.26, -size * 0.26, -size * 0.26)
        painter.drawLine(inner.topLeft(), inner.bottomRight())
        painter.drawLine(inner.topRight(), inner.bottomLeft())
    else:
        _draw_circle(
            painter, box.adjusted(size * 0.18, size * 0.18, -size * 0.18, -size * 0.18), glyph, color
        )
    painter.restore()


def _draw_circle(painter: QPainter, circle: QRectF, glyph: Glyph, color: QColor) -> None:
    painter.drawEllipse(circle)
    if glyph == "running":
        half = QPainterPath()
        half.moveTo(circle.center())
        half.arcTo(circle, 90, 180)
        half.closeSubpath()
        painter.fillPath(half, color)
