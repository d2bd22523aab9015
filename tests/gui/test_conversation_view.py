"""The reader's place: at the end while there, still wherever else, whatever arrives above or below."""

from __future__ import annotations

from pathlib import Path

import msgspec
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from sidekicks import events
from sidekicks.app import make_front
from sidekicks.models import Conversation, Message, Page
from sidekicks.ui import theme as themes
from sidekicks.ui.conversation import ConversationView
from sidekicks.ui.conversation.body import Body
from sidekicks.ui.conversation.jump_button import JumpButton
from tests.gui.talk import (
    AGENTS,
    body_with,
    conversation,
    keep,
    message,
    message_id,
    opened,
    shown,
    texts,
    top_of,
)

LONG = [message(k, f"Message number {k}. " + "word " * 60) for k in range(100, 200)]


def wheel(view: ConversationView, notches: int) -> None:
    middle = QPointF(view.viewport().rect().center())
    event = QWheelEvent(
        middle,
        QPointF(view.viewport().mapToGlobal(middle.toPoint())),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def stream(view: ConversationView, number: int, text: str) -> None:
    view.apply(
        events.MessageDelta(channel="c", message_id=message_id(number), index=0, kind="text", text=text)
    )


def at_end(view: ConversationView) -> bool:
    return view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def laid_out(qtbot: QtBot, view: ConversationView) -> None:
    """Waits until what was announced is on screen."""
    qtbot.waitUntil(lambda: not view._soon.isActive())


def middle_text(view: ConversationView) -> str:
    bodies = [body for body in shown(view, Body) if body.y() > 100]
    return bodies[0].toPlainText()[:19]


def elsewhere(*messages: Message) -> Conversation:
    talk = conversation(messages)
    return msgspec.structs.replace(talk, channel=msgspec.structs.replace(talk.channel, id="other"))


def test_it_opens_at_the_end(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG)
    assert "number 199" in texts(view)
    assert at_end(view)


def test_only_what_can_be_seen_is_a_widget(qtbot: QtBot) -> None:
    view = opened(qtbot, *(message(k, "word " * 100) for k in range(1_000)))
    assert len(view.viewport().findChildren(Body)) < 30
    for _ in range(60):
        QTest.keyClick(view, Qt.Key.Key_PageUp)
    assert len(view.viewport().findChildren(Body)) < 40


def test_it_follows_the_end_while_it_is_there(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG, message(200, "Begun. ", done=False))
    for k in range(60):
        stream(view, 200, f"Sentence {k} of a long answer that goes on and on.\n\n")
        laid_out(qtbot, view)
        assert at_end(view)
    assert "Sentence 59" in texts(view)


def test_it_stays_put_when_the_reader_has_scrolled_up(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG, message(200, "Begun. ", done=False))
    wheel(view, 20)
    assert not at_end(view)
    text = middle_text(view)
    before = top_of(view, text)
    for k in range(40):
        stream(view, 200, f"Sentence {k}.\n\n")
    view.apply(events.MessageUpdated(channel="c", message=message(201, "Another one", role="user")))
    laid_out(qtbot, view)
    assert top_of(view, text) == before
    assert "Another one" not in texts(view)


def test_it_stays_put_while_a_message_above_grows(qtbot: QtBot) -> None:
    view = opened(qtbot, message(50, "Begun. ", done=False), *LONG)
    wheel(view, 10)
    text = middle_text(view)
    before = top_of(view, text)
    for k in range(200):
        stream(view, 50, f"Sentence {k}.\n\n")
    laid_out(qtbot, view)
    assert top_of(view, text) == before


def test_it_stays_put_when_older_messages_come(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG, more=True)
    with qtbot.waitSignal(view.need_older) as wanted:
        QTest.keyClick(view, Qt.Key.Key_Home)
    assert wanted.args == [message_id(100)]
    before = top_of(view, "number 100.")
    older = tuple(message(k, f"Message number {k}. " + "word " * 90) for k in range(100))
    view.prepend(Page(messages=older, more=True))
    laid_out(qtbot, view)
    assert top_of(view, "number 100.") == before
    wheel(view, 6)
    assert "number 99." in texts(view)


def test_older_messages_are_asked_for_once_and_only_if_there_are_any(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG, more=True)
    asked: list[str] = []
    view.need_older.connect(asked.append)
    QTest.keyClick(view, Qt.Key.Key_Home)
    for _ in range(5):
        QTest.keyClick(view, Qt.Key.Key_Down)
        QTest.keyClick(view, Qt.Key.Key_Home)
    assert asked == [message_id(100)]
    view.prepend(Page(messages=(message(99, "the very first"),), more=False))
    laid_out(qtbot, view)
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert asked == [message_id(100)]
    assert "the very first" in texts(view)


def test_the_jump_button_leads_back_to_the_end(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG)
    assert not shown(view, JumpButton)
    wheel(view, 20)
    button = shown(view, JumpButton)[0]
    assert button.accessibleName() == "Jump to the latest message"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert at_end(view)
    assert not shown(view, JumpButton)


def test_scrolling_down_to_the_end_follows_it_again(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG, message(200, "Begun. ", done=False))
    wheel(view, 5)
    wheel(view, -40)
    stream(view, 200, "More.\n\n" * 30 + "Last words")
    laid_out(qtbot, view)
    assert "Last words" in texts(view)


def test_keys_move_by_page_to_both_ends_and_by_message(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG)
    view.setFocus()
    text = middle_text(view)
    QTest.keyClick(view, Qt.Key.Key_PageUp)
    assert text not in texts(view) or top_of(view, text) > 300
    QTest.keyClick(view, Qt.Key.Key_PageDown)
    assert at_end(view)
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert "number 100." in texts(view)
    assert view.accessibleDescription().startswith("Mini Me, ")
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view._current is view._model.entries[1]
    QTest.keyClick(view, Qt.Key.Key_End)
    assert at_end(view)
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert view._current is view._model.entries[-2]


def test_keys_pressed_in_a_message_move_the_conversation(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG)
    body = shown(view, Body)[-1]
    body.setFocus()
    QTest.keyClick(body, Qt.Key.Key_PageUp)
    assert not at_end(view)


def test_the_bar_reaches_every_place(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG)
    bar = view.verticalScrollBar()
    bar.setValue(0)
    assert "number 100." in texts(view)
    bar.setValue(bar.maximum() // 2)
    assert any(f"number {k}." in texts(view) for k in range(135, 165))
    bar.setValue(bar.maximum())
    assert "number 199." in texts(view)


def test_the_place_survives_another_width_theme_and_zoom(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG)
    view.show_message(message_id(150))
    for change in (
        lambda: view.resize(600, 600),
        lambda: view.set_theme(themes.dark()),
        lambda: view.set_theme(themes.dark(1.5)),
    ):
        change()
        assert 30 <= top_of(view, "number 150.") <= 60


def test_another_conversation_begins_at_its_end_with_nothing_of_the_first(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG)
    wheel(view, 20)
    view.show_conversation(conversation([message(1, "quite different")]), AGENTS)
    assert texts(view).count("different") == 1
    assert "number" not in texts(view)


def test_the_place_is_kept_while_another_conversation_is_read(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG)
    wheel(view, 20)
    text = middle_text(view)
    top = top_of(view, text)
    view.show_conversation(elsewhere(message(1, "quite different")), AGENTS)
    view.show_conversation(conversation([*LONG, message(300, "Meanwhile.")]), AGENTS)
    assert top_of(view, text) == top
    view.scroll_to_bottom()
    view.show_conversation(elsewhere(message(1, "quite different")), AGENTS)
    view.show_conversation(conversation([*LONG, message(300, "Meanwhile.")]), AGENTS)
    assert "Meanwhile." in texts(view)


def test_what_was_not_read_begins_below_a_line_that_stays(qtbot: QtBot) -> None:
    view = opened(qtbot)
    view.show_conversation(conversation(LONG), AGENTS, unread=30)
    words = texts(view)
    assert words.index("New") < words.index("number 170.")
    assert top_of(view, "number 170.") > 0 > top_of(view, "number 169.")
    view.scroll_to_bottom()
    view.show_message(message_id(170))
    assert "New" in texts(view)
    view.show_conversation(conversation(LONG), AGENTS)
    assert "New" not in texts(view)


def test_a_line_above_the_only_unread_message_leaves_the_conversation_at_its_end(qtbot: QtBot) -> None:
    view = opened(qtbot)
    view.show_conversation(conversation([*LONG, message(300, "Last.")]), AGENTS, unread=1)
    assert at_end(view)
    assert "New" in texts(view)


def test_the_jump_button_counts_what_came_meanwhile(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG)
    wheel(view, 20)
    for number in (300, 301):
        view.apply(events.MessageUpdated(channel="c", message=message(number, "More.")))
    button = shown(view, JumpButton)[0]
    qtbot.waitUntil(lambda: button.text() == "2 new")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    wheel(view, 20)
    assert shown(view, JumpButton)[0].text() == ""


def test_the_keyboard_stays_in_the_conversation_when_what_had_it_goes(qtbot: QtBot) -> None:
    view = opened(qtbot, *LONG)
    for change in (
        lambda: view.show_conversation(conversation(LONG[:50]), AGENTS),
        lambda: QTest.keyClick(view, Qt.Key.Key_Home),
    ):
        shown(view, Body)[-1].setFocus()
        change()
        assert view.hasFocus()


def test_tab_goes_from_top_to_bottom_whatever_was_scrolled(qtbot: QtBot) -> None:
    links = [message(k, f"see [link {k}](http://a.b/{k}) " + "word " * 60) for k in range(30)]
    view = opened(qtbot, *links)
    QTest.keyClick(view, Qt.Key.Key_Home)
    QTest.keyClick(view, Qt.Key.Key_PageDown)
    view.setFocus()
    tops: list[int] = []
    for _ in range(4):
        QTest.keyClick(view.window().focusWidget(), Qt.Key.Key_Tab)
        focused = view.window().focusWidget()
        if isinstance(focused, Body):
            tops.append(focused.y())
    assert len(set(tops)) > 1
    assert tops == sorted(tops)


def test_an_empty_conversation_is_empty_and_takes_its_first_message(qtbot: QtBot) -> None:
    view = opened(qtbot)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp):
        QTest.keyClick(view, key)
    view.apply(events.MessageUpdated(channel="c", message=message(1, "hello", role="user")))
    qtbot.waitUntil(lambda: "hello" in texts(view))


def test_several_answers_stream_side_by_side(qtbot: QtBot) -> None:
    view = opened(qtbot, message(1, done=False), message(2, done=False), size=(900, 900))
    for k in range(5):
        stream(view, 1, f"one-{k} ")
        stream(view, 2, f"two-{k} ")
    laid_out(qtbot, view)
    words = texts(view)
    assert "one-0 one-1 one-2 one-3 one-4" in words
    assert "two-0 two-1 two-2 two-3 two-4" in words


def test_renamed_agents_are_renamed(qtbot: QtBot) -> None:
    view = opened(qtbot, message(1, "hi"))
    view.set_agents({})
    laid_out(qtbot, view)
    assert "Mini Me" not in texts(view)
    assert "mm" in texts(view)


def test_another_theme_while_the_window_is_open_leaves_no_old_background(
    qtbot: QtBot, tmp_path: Path
) -> None:
    front = make_front(tmp_path)
    front.appearance.choose("light")
    view = ConversationView(front.appearance.theme, front.window)
    front.window.add_view(view)
    front.appearance.changed.connect(view.set_theme)
    keep(qtbot, front.window)
    with qtbot.waitExposed(front.window):
        front.window.show()
    view.show_conversation(conversation([message(1, "Some words.")], False, ()), AGENTS)
    front.window.show_messages()
    front.appearance.choose("dark")
    body = body_with(view, "Some words")
    at = body.mapTo(view.viewport(), QPoint(body.width() - 2, 2))
    seen = view.viewport().grab().toImage().pixelColor(at).name()
    front.translations.remove()
    assert seen == themes.DARK.background
