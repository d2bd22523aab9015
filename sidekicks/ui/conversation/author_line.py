"""Who says what follows: icon, name, time, and what the answer took."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from sidekicks.ui.conversation import phrases
from sidekicks.ui.conversation.contents import Author, AuthorContent
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import SIZES

INDENT = 28
"""How far what is said stands to the right of the icon, at zoom 1."""


class Badge(QWidget):
    """An agent's icon, or the first letter of a name."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._author = Author("")
        self._look: Look | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_author(self, author: Author, look: Look) -> None:
        """Draws the author's icon from now on."""
        if author != self._author or look is not self._look:
            self._author, self._look = author, look
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the icon as it is, an initial in a quiet square."""
        del event
        if self._look is None:
            return
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        painter.setPen(theme.color("text"))
        if self._author.icon:
            painter.setFont(theme.header_font())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._author.icon)
        else:
            font = theme.small_font()
            font.setBold(True)
            painter.setFont(font)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("hover"))
            painter.drawRoundedRect(box, theme.px(SIZES.xs), theme.px(SIZES.xs))
            painter.setPen(theme.color("text_secondary"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._author.name[:1].upper())
        painter.end()


class AuthorLine(QWidget):
    """The widget of an `AuthorContent`."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row: Row | None = None
        self._look: Look | None = None
        self._badge = Badge(self)
        self._name = QLabel(self)
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self._meta = QLabel(self)
        self._meta.setTextFormat(Qt.TextFormat.PlainText)
        self.setAutoFillBackground(True)

    def bind(self, row: Row, width: int, look: Look) -> int:
        """Shows the row's author; the height."""
        content = row.content
        assert isinstance(content, AuthorContent)
        self.row = row
        px = look.theme.px
        if look is not self._look:
            self._look = look
            self.setPalette(look.theme.palette())
            self._name.setFont(look.theme.strong_font())
            self._meta.setFont(look.theme.small_font())
            self._meta.setPalette(look.quiet())
        self._badge.show_author(content.author, look)
        self._name.setText(reveal(content.author.name))
        self._meta.setText(self._meta_text(content))
        self._meta.setToolTip(content.date)
        self.setAccessibleName(f"{content.author.name}, {self._meta.text()}")
        height, badge = px(SIZES.line), px(SIZES.line)
        self._badge.setGeometry(0, 0, badge, badge)
        name = min(self._name.sizeHint().width(), width // 2)
        self._name.setGeometry(px(INDENT), 0, name, height)
        left = px(INDENT) + name + px(SIZES.s)
        self._meta.setGeometry(left, 0, max(0, width - left), height)
        return height

    def _meta_text(self, content: AuthorContent) -> str:
        pieces = [content.time]
        if content.queued:
            pieces.append(self.tr("queued"))
        if content.running:
            pieces.append(self.tr("answering…"))
        if content.steps == 1:
            pieces.append(self.tr("1 step"))
        elif content.steps:
            pieces.append(self.tr("{count} steps").format(count=content.steps))
        if content.seconds is not None:
            pieces.append(phrases.duration(content.seconds))
        return " · ".join(pieces)
