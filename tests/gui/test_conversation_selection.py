"""Text can be selected over any number of messages, seen or not, and copied."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from sidekicks import events
from tests.gui.talk import body_with, copied, drag, let_go, message, message_id, opened, point_at, texts

ONE = message(1, "The first message is here.", role="user")
TWO = message(2, "Before the list:\n\n- **item** one\n- item two\n\nand the end.")
THREE = message(3, "The third one, quite short.")


def test_a_drag_selects_from_one_message_into_another(qtbot: QtBot) -> None:
    view = opened(qtbot, ONE, TWO, THREE)
    first, third = body_with(view, "first"), body_with(view, "third")
    drag(first.viewport(), point_at(first, "message"), third.viewport(), point_at(third, "one", after=True))
    assert first.textCursor().selectedText() == "message is here."
    assert third.textCursor().selectedText() == "The third one"
    text = copied(view)
    assert "message is here." in text
    assert "- **item** one\n- item two" in text
    assert text.endswith("The third one")
    assert "Mini Me, " in text


def test_a_drag_upwards_selects_the_same(qtbot: QtBot) -> None:
    view = opened(qtbot, ONE, TWO, THREE)
    first, third = body_with(view, "first"), body_with(view, "third")
    drag(third.viewport(), point_at(third, "one", after=True), first.viewport(), point_at(first, "message"))
    assert first.textCursor().selectedText() == "message is here."
    assert copied(view).endswith("The third one")


def test_a_drag_within_one_message_is_a_plain_selection(qtbot: QtBot) -> None:
    view = opened(qtbot, ONE)
    body = body_with(view, "first")
    drag(body.viewport(), point_at(body, "first"), body.viewport(), point_at(body, "first", after=True))
    assert body.textCursor().selectedText() == "first"
    QTest.keyClick(body, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "first"


def test_a_click_ends_the_selection_everywhere(qtbot: QtBot) -> None:
    view = opened(qtbot, ONE, TWO, THREE)
    first, third = body_with(view, "first"), body_with(view, "third")
    drag(first.viewport(), point_at(first, "message"), third.viewport(), point_at(third, "one"))
    QTest.mouseClick(third.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert not first.textCursor().hasSelection()
    assert not third.textCursor().hasSelection()


def test_shift_click_makes_the_selection_longer(qtbot: QtBot) -> None:
    view = opened(qtbot, ONE, TWO, THREE)
    first, third = body_with(view, "first"), body_with(view, "third")
    QTest.mouseClick(first.viewport(), Qt.MouseButton.LeftButton, pos=point_at(first, "first"))
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.mouseClick(third.viewport(), Qt.MouseButton.LeftButton, shift, point_at(third, "third", after=True))
    assert first.textCursor().selectedText() == "first message is here."
    assert third.textCursor().selectedText() == "The third"


def test_select_all_in_a_message_takes_it_whole_even_where_it_is_not_on_screen(qtbot: QtBot) -> None:
    paragraphs = [f"Paragraph {k} has its words. " + "word " * 80 for k in range(60)]
    view = opened(qtbot, message(1, "\n\n".join(paragraphs)))
    body = body_with(view, "Paragraph 59")
    body.setFocus()
    QTest.keyClick(body, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(body, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QGuiApplication.clipboard().text()
    assert all(f"Paragraph {k} has" in text for k in range(60))


def test_a_selection_is_still_there_after_scrolling_away_and_back(qtbot: QtBot) -> None:
    more = [message(k, "word " * 120) for k in range(4, 60)]
    view = opened(qtbot, ONE, TWO, THREE, *more)
    QTest.keyClick(view, Qt.Key.Key_Home)
    first, third = body_with(view, "first"), body_with(view, "third")
    drag(first.viewport(), point_at(first, "message"), third.viewport(), point_at(third, "one", after=True))
    QTest.keyClick(view, Qt.Key.Key_End)
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert body_with(view, "first").textCursor().selectedText() == "message is here."
    assert body_with(view, "third").textCursor().selectedText() == "The third one"


def test_a_selection_survives_the_message_growing(qtbot: QtBot) -> None:
    view = opened(qtbot, ONE, message(2, "Growing text", done=False))
    first, second = body_with(view, "first"), body_with(view, "Growing")
    drag(
        first.viewport(),
        point_at(first, "message"),
        second.viewport(),
        point_at(second, "Growing", after=True),
    )
    delta = events.MessageDelta(channel="c", message_id=message_id(2), index=0, kind="text", text=" goes on")
    view.apply(delta)
    qtbot.waitUntil(lambda: "goes on" in second.toPlainText())
    assert second.textCursor().selectedText() == "Growing"


def test_the_current_message_is_copied_when_nothing_is_selected(qtbot: QtBot) -> None:
    view = opened(qtbot, ONE, TWO)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_End)
    assert copied(view) == "Before the list:\n\n- **item** one\n- item two\n\nand the end."


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_menu_of_a_message_copies_it(qtbot: QtBot) -> None:
    view = opened(qtbot, ONE, TWO)
    body = body_with(view, "Before")
    QTest.mouseClick(body.viewport(), Qt.MouseButton.RightButton)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(5, 5), body.mapToGlobal(QPoint(5, 5)))
    body.contextMenuEvent(event)
    menu = body.findChild(QMenu)
    offered = {action.text(): action for action in menu.actions()}
    offered["Copy as Markdown"].trigger()
    assert QGuiApplication.clipboard().text().startswith("Before the list:\n\n- **item**")
    offered["Copy Message"].trigger()
    assert QGuiApplication.clipboard().text().startswith("Before the list:\nitem one")
    with qtbot.waitSignal(view.quote_requested) as quoted:
        offered["Quote in Reply"].trigger()
    assert quoted.args[0].startswith("Before the list:\n\n- **item**")
    menu.close()


def test_a_drag_beyond_the_edge_scrolls_and_goes_on_selecting(qtbot: QtBot) -> None:
    view = opened(qtbot, *(message(k, f"Number {k}. " + "word " * 60) for k in range(100, 160)))
    body = body_with(view, "Number 159.")
    above = QPoint(40, -400)
    drag(body.viewport(), point_at(body, "Number 159."), view.viewport(), above, release=False)
    qtbot.waitUntil(lambda: "Number 140." in texts(view), timeout=10_000)
    let_go(body.viewport(), above)
    text = copied(view)
    assert "Number 150." in text
    assert "Number 159." not in text
