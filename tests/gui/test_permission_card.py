"""A permission card shows what will be done whole, and answers by keyboard and mouse, never by accident."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from sidekicks import events, models
from sidekicks.models import Diff, PermissionOption, ToolPart
from sidekicks.ui import theme as themes
from sidekicks.ui.conversation import ConversationView
from sidekicks.ui.conversation.code_text import CodeText
from sidekicks.ui.conversation.diff_view import DiffView
from sidekicks.ui.conversation.permission_card import OptionButton, PermissionCard
from tests.gui.talk import (
    AGENTS,
    body_with,
    conversation,
    keep,
    message,
    message_id,
    opened,
    question,
    shown,
    texts,
)

COMMAND = ToolPart(id="t", title="rm", kind="execute", input='{"command":"rm -rf build &&\\nmake all"}')


def test_it_stands_after_its_message_and_shows_the_command_whole(qtbot: QtBot) -> None:
    messages = (message(1, "I need to clean."), message(2, "later", role="user"))
    view = opened(qtbot, *messages, permissions=(question(COMMAND),))
    card = shown(view, PermissionCard)[0]
    assert card.accessibleName() == "Mini Me wants to run a command"
    assert shown(view, CodeText)[0].toPlainText() == "rm -rf build &&\nmake all"
    assert body_with(view, "clean").y() < card.y() < body_with(view, "later").y()


def test_it_shows_the_change_to_a_file(qtbot: QtBot) -> None:
    diff = Diff(path="src/p.py", old_text="a\n", new_text="b\n")
    tool = ToolPart(id="t", title="p", kind="edit", diffs=(diff,))
    view = opened(qtbot, message(1, "x"), permissions=(question(tool),))
    assert "Mini Me wants to edit src/p.py" in texts(view)
    assert shown(view, DiffView)[0].toPlainText() == "- a\n+ b"


@pytest.mark.parametrize(
    ("key", "option"), [(Qt.Key.Key_Return, "yes"), (Qt.Key.Key_Enter, "yes"), (Qt.Key.Key_Escape, "no")]
)
def test_enter_allows_once_and_escape_rejects(qtbot: QtBot, key: Qt.Key, option: str) -> None:
    view = opened(qtbot, message(1, "x"), permissions=(question(COMMAND),))
    view.show_permission("p1")
    card = shown(view, PermissionCard)[0]
    assert card.hasFocus()
    with qtbot.waitSignal(view.permission_answered) as answered:
        QTest.keyClick(card, key)
    assert answered.args == ["p1", option]


def test_tab_goes_through_the_answers_and_enter_gives_the_one_it_is_on(qtbot: QtBot) -> None:
    view = opened(qtbot, message(1, "x"), permissions=(question(COMMAND),))
    view.show_permission("p1")
    buttons = shown(view, OptionButton)
    always = next(b for b in buttons if b.text() == "Always allow commands")
    for _ in range(6):
        QTest.keyClick(view.window().focusWidget(), Qt.Key.Key_Tab)
        if always.hasFocus():
            break
    assert always.hasFocus()
    with qtbot.waitSignal(view.permission_answered) as answered:
        QTest.keyClick(always, Qt.Key.Key_Return)
    assert answered.args == ["p1", "always"]


def test_a_click_answers(qtbot: QtBot) -> None:
    view = opened(qtbot, message(1, "x"), permissions=(question(COMMAND),))
    reject = next(b for b in shown(view, OptionButton) if b.text().startswith("Reject"))
    with qtbot.waitSignal(view.permission_answered) as answered:
        QTest.mouseClick(reject, Qt.MouseButton.LeftButton)
    assert answered.args == ["p1", "no"]


def test_it_never_takes_the_keyboard_from_someone_who_types(qtbot: QtBot) -> None:
    window = QWidget()
    keep(qtbot, window)
    view, line = ConversationView(themes.light(), window), QLineEdit(window)
    view.setGeometry(0, 0, 900, 600)
    line.setGeometry(0, 600, 900, 40)
    window.resize(900, 640)
    with qtbot.waitExposed(window):
        window.show()
    view.show_conversation(conversation([message(1, "x")]), AGENTS)
    line.setFocus()
    answers: list[object] = []
    view.permission_answered.connect(answers.append)
    view.apply(events.PermissionRequested(**_fields(question(COMMAND))))
    qtbot.waitUntil(lambda: bool(shown(view, PermissionCard)))
    QTest.keyClicks(line, "hello")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert line.text() == "hello"
    assert answers == []


def test_it_names_its_keys_only_while_they_answer(qtbot: QtBot) -> None:
    view = opened(qtbot, message(1, "x"), permissions=(question(COMMAND),))
    assert [b.text() for b in shown(view, OptionButton)] == ["Allow once", "Always allow commands", "Reject"]
    view.show_permission("p1")
    assert [b.text() for b in shown(view, OptionButton)] == [
        "Allow once ⏎",
        "Always allow commands",
        "Reject ⎋",
    ]
    view.setFocus()
    assert [b.text() for b in shown(view, OptionButton)] == ["Allow once", "Always allow commands", "Reject"]


def test_it_goes_when_it_is_resolved(qtbot: QtBot) -> None:
    view = opened(qtbot, message(1, "x"), permissions=(question(COMMAND),))
    view.apply(events.PermissionResolved(id="p1", channel="c"))
    qtbot.waitUntil(lambda: not shown(view, PermissionCard))


def test_rejections_are_counted(qtbot: QtBot) -> None:
    view = opened(qtbot, message(1, "x"), permissions=(question(COMMAND, rejections=2),))
    assert "You rejected 2 requests of this answer." in texts(view)


def test_characters_that_hide_something_are_shown(qtbot: QtBot) -> None:
    sly = ToolPart(id="t", title="t", kind="execute", input='{"command":"echo \\u202etxt.sh\\u200b"}')
    view = opened(qtbot, message(1, "x"), permissions=(question(sly),))
    assert shown(view, CodeText)[0].toPlainText() == "echo ⟨U+202E⟩txt.sh⟨U+200B⟩"
    assert "characters that cannot be seen" in texts(view)


def test_two_answers_of_one_kind_are_told_apart_by_name_and_never_misnamed(qtbot: QtBot) -> None:
    options = (
        PermissionOption(option_id="a", name="Only this file", kind="allow_always"),
        PermissionOption(option_id="b", name="Reject", kind="allow_always"),
    )
    request = models.PermissionRequest(
        id="p", channel="c", agent="mm", message_id=message_id(1), tool_call=COMMAND, options=options
    )
    view = opened(qtbot, message(1, "x"), permissions=(request,))
    labels = [button.text() for button in shown(view, OptionButton)]
    assert labels == ["Always allow: Only this file", "Always allow: Reject"]


def test_an_answer_for_good_says_what_it_covers_and_who_remembers_it(qtbot: QtBot) -> None:
    options = (
        PermissionOption(option_id="a", name="Always", kind="allow_always", remembered=True),
        PermissionOption(option_id="b", name="Allow git commands here", kind="allow_always"),
    )
    for option, label, told in (
        (options[0], "Always allow commands", "in every conversation, until it is revoked"),
        (options[1], "Always allow: Allow git commands here", "Mini Me remembers this itself"),
    ):
        request = models.PermissionRequest(
            id="p", channel="c", agent="mm", message_id=message_id(1), tool_call=COMMAND, options=(option,)
        )
        view = opened(qtbot, message(1, "x"), permissions=(request,))
        button = shown(view, OptionButton)[0]
        assert button.text() == label
        assert told in button.toolTip()
        assert told in button.accessibleDescription()


def test_the_view_says_which_cards_can_be_seen_and_leads_to_the_others(qtbot: QtBot) -> None:
    far = [message(k, "word " * 200) for k in range(2, 20)]
    view = opened(qtbot, message(1, "x"), *far, permissions=(question(COMMAND),))
    assert view.visible_permissions() == frozenset()
    with qtbot.waitSignal(view.visible_permissions_changed):
        view.show_permission("p1")
    assert view.visible_permissions() == {"p1"}
    assert shown(view, PermissionCard)[0].hasFocus()


def _fields(request: models.PermissionRequest) -> dict[str, object]:
    return {name: getattr(request, name) for name in request.__struct_fields__}
