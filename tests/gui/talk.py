"""A conversation to show, and a person to use it: clicks, keys and drags as events of the window system."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from sidekicks import models
from sidekicks.models import Message, Part, PermissionOption, PermissionRequest, TextPart, ToolPart
from sidekicks.ui import theme as themes
from sidekicks.ui.conversation import ConversationView
from sidekicks.ui.conversation.body import Body

_Widget = TypeVar("_Widget", bound=QWidget)

BEGAN = datetime(2026, 11, 30, 14, 2, tzinfo=UTC)
AGENTS = {
    name: models.AgentStatus(name=name, title=title, icon=icon, description="", state="ready")
    for name, title, icon in (("mm", "Mini Me", "🤖"), ("codex", "Codex", ""))
}
OPTIONS = tuple(
    PermissionOption(option_id=option_id, name=name, kind=kind, remembered=kind == "allow_always")
    for option_id, name, kind in (
        ("no", "No", "reject_once"),
        ("yes", "Yes", "allow_once"),
        ("always", "Always", "allow_always"),
    )
)


def message_id(number: int) -> str:
    return f"{number:026d}"


def message(number: int, *parts: Part | str, role: models.Role = "agent", **more: object) -> Message:
    said = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    fields: dict[str, object] = {
        "id": message_id(number),
        "channel": "c",
        "created_at": BEGAN + timedelta(minutes=number),
        "role": role,
        "agent": "" if role == "user" else "mm",
        "parts": said,
        **more,
    }
    return Message(**fields)  # type: ignore[arg-type]  the fields are those of Message


def conversation(
    messages: Iterable[Message], more: bool = False, permissions: tuple[PermissionRequest, ...] = ()
) -> models.Conversation:
    return models.Conversation(
        channel=models.Channel(id="c", name="parser"),
        messages=tuple(messages),
        more=more,
        busy=False,
        queued=0,
        answering="",
        usage={},
        permissions=permissions,
    )


def question(
    tool: ToolPart, number: int = 1, rejections: int = 0, request_id: str = "p1"
) -> PermissionRequest:
    return PermissionRequest(
        id=request_id,
        channel="c",
        agent="mm",
        message_id=message_id(number),
        tool_call=tool,
        options=OPTIONS,
        rejections=rejections,
    )


def opened(
    qtbot: QtBot,
    *messages: Message,
    size: tuple[int, int] = (900, 600),
    more: bool = False,
    permissions: tuple[PermissionRequest, ...] = (),
) -> ConversationView:
    view = ConversationView(themes.light())
    keep(qtbot, view)
    view.resize(*size)
    with qtbot.waitExposed(view):
        view.show()
    view.show_conversation(conversation(messages, more, permissions), AGENTS)
    return view


def keep(qtbot: QtBot, widget: QWidget) -> None:
    """Has a widget closed when the test is over, and not collected before: qtbot alone holds it weakly,
    and a window that is collected while it is being painted takes the process with it."""

    def close(closing: QWidget) -> None:
        assert closing is widget

    qtbot.addWidget(widget, before_close_func=close)


def shown(view: ConversationView, kind: type[_Widget]) -> list[_Widget]:
    """The visible widgets of a kind, from top to bottom."""
    found = [w for w in view.viewport().findChildren(kind) if w.isVisible()]
    return sorted(found, key=lambda w: w.mapTo(view.viewport(), QPoint()).y())


def texts(view: ConversationView) -> str:
    """Everything that can be read, from top to bottom."""
    widgets = sorted([*shown(view, Body), *shown(view, QLabel)], key=lambda w: _top(view, w))
    return "\n".join(w.toPlainText() if isinstance(w, Body) else w.text() for w in widgets)


def body_with(view: ConversationView, text: str) -> Body:
    return next(body for body in shown(view, Body) if text in body.toPlainText())


def top_of(view: ConversationView, text: str) -> int:
    """Where a text is on screen, measured down from the top of the view."""
    return _top(view, body_with(view, text))


def point_at(body: Body, text: str, after: bool = False) -> QPoint:
    """Where a text begins (or ends) in the body's viewport."""
    cursor = QTextCursor(body.document().find(text))
    place = QTextCursor(body.document())
    place.setPosition(cursor.selectionEnd() if after else cursor.selectionStart())
    return body.cursorRect(place).center()


def drag(start: QWidget, place: QPoint, target: QWidget, end: QPoint, release: bool = True) -> None:
    """Presses in one widget and releases over another; as in a real drag, the first one gets all events."""
    at_end = start.mapFromGlobal(target.mapToGlobal(end))
    middle = QPoint((place.x() + at_end.x()) // 2, (place.y() + at_end.y()) // 2)
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    _send(start, QEvent.Type.MouseButtonPress, place, left, left)
    _send(start, QEvent.Type.MouseMove, middle, none, left)
    _send(start, QEvent.Type.MouseMove, at_end, none, left)
    if release:
        let_go(start, at_end)


def let_go(widget: QWidget, place: QPoint) -> None:
    """Releases the button of the mouse that was pressed in a widget."""
    _send(widget, QEvent.Type.MouseButtonRelease, place, Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton)


def copied(view: ConversationView) -> str:
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    return QGuiApplication.clipboard().text()


def _send(
    widget: QWidget, kind: QEvent.Type, place: QPoint, button: Qt.MouseButton, buttons: Qt.MouseButton
) -> None:
    spot = QPointF(widget.mapToGlobal(place))
    event = QMouseEvent(kind, QPointF(place), spot, button, buttons, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)


def _top(view: ConversationView, widget: QWidget) -> int:
    return widget.mapTo(view.viewport(), QPoint()).y()
