"""What the conversation itself says: days, who came and went, how an answer ended and the way out."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QDate, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from sidekicks.models import Message
from sidekicks.ui.conversation import phrases
from sidekicks.ui.conversation.contents import DayContent, EndContent, NewContent, SystemContent
from sidekicks.ui.conversation.glyphs import draw
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.theme import SIZES


class DayLine(QWidget):
    """The widget of a `DayContent` or a `NewContent`: a word between two lines."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row: Row | None = None
        self._look: Look | None = None
        self._new = False
        self._label = QLabel(self)
        self.setAutoFillBackground(True)

    def bind(self, row: Row, width: int, look: Look) -> int:
        """Shows the row's day; the height."""
        content = row.content
        assert isinstance(content, DayContent | NewContent)
        self.row, self._look = row, look
        self._new = isinstance(content, NewContent)
        self.setPalette(look.theme.palette())
        self._label.setFont(look.theme.small_font())
        self._label.setPalette(look.link() if self._new else look.quiet())
        self._label.setText(self.tr("New") if isinstance(content, NewContent) else _name(content))
        self.setAccessibleName(self._label.text())
        size, height = self._label.sizeHint(), look.theme.px(SIZES.line)
        self._label.setGeometry((width - size.width()) // 2, 0, size.width(), height)
        self.update()
        return height

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints a line to the left and right of the word."""
        del event
        if self._look is None:
            return
        painter = QPainter(self)
        painter.setPen(self._look.theme.color("accent" if self._new else "border"))
        middle, gap = self.height() // 2, self._look.theme.px(SIZES.m)
        label = self._label.geometry()
        painter.drawLine(0, middle, label.left() - gap, middle)
        painter.drawLine(label.right() + gap, middle, self.width(), middle)
        painter.end()


def _name(content: DayContent) -> str:
    day = content.day
    return phrases.day_name(QDate(day.year, day.month, day.day))


def _sentence(content: SystemContent | EndContent) -> str:
    if isinstance(content, SystemContent):
        return phrases.happened(content.message, content.agent)
    if content.unanswered:
        return phrases.unanswered()
    return phrases.ending(content.message, content.agent)


def _can_be_sent_again(content: EndContent) -> bool:
    """Whether there is an answer to be had that there was not, of the agent or to what the user wrote."""
    message = content.message
    stopped = message.role == "agent" and message.stop_reason == "cancelled"
    return bool(message.error) or stopped or content.unanswered


class Notice(QWidget):
    """A sentence with the way out: what both system messages and endings are."""

    retry_requested = Signal(str, str)
    logs_requested = Signal(str)
    settings_requested = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row: Row | None = None
        self._look: Look | None = None
        self._message: Message | None = None
        self._warns = False
        self._sign_left = 0
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._retry = self._button(self._ask_retry)
        self._logs = self._button(self._ask_logs)
        self._settings = self._button(self._ask_settings)
        self.setAutoFillBackground(True)

    def bind(self, row: Row, width: int, look: Look) -> int:
        """Shows the row's sentence; the height."""
        content = row.content
        assert isinstance(content, SystemContent | EndContent)
        self.row, self._look, self._message = row, look, content.message
        message = content.message
        self.setPalette(look.theme.palette())
        ends = isinstance(content, EndContent)
        failed = bool(message.error) and message.error != "cancelled"
        self._warns = failed or message.stop_reason in ("refusal", "max_tokens", "max_turn_requests")
        self._label.setText(_sentence(content))
        self._label.setFont(look.theme.body_font() if ends and failed else look.theme.small_font())
        self._label.setPalette(look.theme.palette() if ends and failed else look.quiet())
        self._retry.setText(self.tr("Retry"))
        self._logs.setText(self.tr("Show logs"))
        self._settings.setText(self.tr("Open settings"))
        unavailable = message.code == "agent-unavailable"
        offered = (
            (self._retry, unavailable or (isinstance(content, EndContent) and _can_be_sent_again(content))),
            (self._logs, failed),
            (self._settings, unavailable),
        )
        buttons = [button for button, on in offered if on]
        for button, _ in offered:
            button.setFont(look.theme.small_font())
            button.setPalette(look.link())
            button.setVisible(button in buttons)
        return self._arrange(buttons, width, look, centred=not ends)

    def _arrange(self, buttons: list[QToolButton], width: int, look: Look, centred: bool) -> int:
        px = look.theme.px
        sign = px(SIZES.line) if self._warns else 0
        needed = sum(b.sizeHint().width() for b in buttons) + px(SIZES.s)
        room = width - sign - (needed if buttons else 0)
        text = min(room, self._label.fontMetrics().horizontalAdvance(self._label.text()) + px(SIZES.xs))
        height = max(px(SIZES.line), self._label.heightForWidth(text))
        left = sign + (max(0, room - text) // 2 if centred else 0)
        self._sign_left = left - sign
        self._label.setGeometry(left, 0, text, height)
        left += text + px(SIZES.s)
        for button in buttons:
            size = button.sizeHint()
            button.setGeometry(left, 0, size.width(), px(SIZES.line))
            left += size.width()
        self.update()
        return height

    def _button(self, slot: Callable[[], None]) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(slot)
        return button

    def _ask_retry(self) -> None:
        if self._message is not None:
            self.retry_requested.emit(self._message.id, self._message.agent)

    def _ask_logs(self) -> None:
        if self._message is not None:
            self.logs_requested.emit(self._message.agent)

    def _ask_settings(self) -> None:
        if self._message is not None:
            self.settings_requested.emit(self._message.agent)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints a cross before what went wrong."""
        del event
        if self._look is None or not self._warns:
            return
        painter = QPainter(self)
        theme = self._look.theme
        size = theme.px(14)
        top = (theme.px(SIZES.line) - size) / 2
        draw(painter, "failed", QRectF(self._sign_left, top, size, size), theme.color("danger"))
        painter.end()
