"""Writing: keys, recall, completion, Stop."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from sidekicks.models import AgentStatus, Command
from sidekicks.ui.composer.completion import Candidates
from sidekicks.ui.composer.composer import Composer
from sidekicks.ui.composer.popup import CompletionPopup
from sidekicks.ui.theme import Theme

Key = Qt.Key
AGENTS = tuple(
    AgentStatus(name=name, title=name.title(), icon="", description="", state="ready")
    for name in ("mm", "codex", "claude")
)


class Desk:
    """A composer in a window, and what it said."""

    def __init__(self, qtbot: QtBot, theme: Theme) -> None:
        self.qtbot = qtbot
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.window.resize(600, 400)
        self.composer = Composer(theme, self.window)
        layout = QVBoxLayout(self.window)
        layout.addStretch(1)
        layout.addWidget(self.composer)
        self.composer.show_conversation("#release", direct=False, draft="", said=["first", "second"])
        self.composer.offer_from(Candidates(AGENTS, {"mm": (Command(name="compact"),)}))
        self.sent: list[str] = []
        self.stops: list[bool] = []
        self.composer.sent.connect(lambda text, attachments: self.sent.append(text))
        self.composer.stop_requested.connect(lambda: self.stops.append(True))
        self.window.show()
        qtbot.waitExposed(self.window)
        self.composer.text.setFocus()

    def type(self, text: str) -> None:
        self.qtbot.keyClicks(self.composer.text, text)

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.qtbot.keyClick(self.composer.text, key, modifier)

    @property
    def text(self) -> str:
        return self.composer.text.toPlainText()

    @property
    def offered(self) -> list[str]:
        popup = self.window.findChild(CompletionPopup)
        return popup.texts() if popup is not None and popup.isVisible() else []


@pytest.fixture
def desk(qtbot: QtBot, theme: Theme) -> Desk:
    return Desk(qtbot, theme)


def test_enter_sends_and_clears(desk: Desk) -> None:
    desk.type("  hello ")
    desk.press(Key.Key_Return)
    assert (desk.sent, desk.text) == (["hello"], "")


def test_shift_enter_breaks_the_line_and_the_field_grows(desk: Desk) -> None:
    height = desk.composer.text.height()
    desk.type("one")
    desk.press(Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    desk.type("two")
    assert (desk.text, desk.sent) == ("one\ntwo", [])
    assert desk.composer.text.height() > height


def test_nothing_is_sent_from_an_empty_field(desk: Desk) -> None:
    desk.type("   ")
    desk.press(Key.Key_Return)
    assert desk.sent == []


def test_up_recalls_what_was_said_and_down_comes_back(desk: Desk) -> None:
    desk.press(Key.Key_Up)
    assert desk.text == "second"
    desk.press(Key.Key_Up)
    desk.press(Key.Key_Up)
    assert desk.text == "first"
    desk.press(Key.Key_Down)
    desk.press(Key.Key_Down)
    assert desk.text == ""


def test_up_does_not_take_away_what_is_being_written(desk: Desk) -> None:
    desk.type("mine")
    desk.press(Key.Key_Up)
    assert desk.text == "mine"


def test_up_from_the_very_beginning_recalls_and_down_gives_back_what_was_being_written(desk: Desk) -> None:
    desk.type("mine")
    desk.press(Key.Key_Home)
    desk.press(Key.Key_Up)
    assert desk.text == "second"
    desk.press(Key.Key_Down)
    assert desk.text == "mine"


def test_what_was_said_on_older_pages_is_recalled_too(desk: Desk) -> None:
    desk.press(Key.Key_Up)
    desk.composer.said_before(["zeroth"])
    desk.press(Key.Key_Up)
    desk.press(Key.Key_Up)
    assert desk.text == "zeroth"


def test_what_was_just_sent_is_recalled_first(desk: Desk) -> None:
    desk.type("third")
    desk.press(Key.Key_Return)
    desk.press(Key.Key_Up)
    assert desk.text == "third"


def test_what_could_not_be_sent_comes_back_before_what_was_written_since(desk: Desk) -> None:
    desk.type("lost")
    desk.press(Key.Key_Return)
    desk.type("new")
    desk.composer.restore("lost")
    assert desk.text == "lost\nnew"


def test_at_offers_agents_and_enter_takes_one(desk: Desk) -> None:
    desk.type("ask @c")
    assert desk.offered == ["@codex", "@claude"]
    desk.press(Key.Key_Down)
    desk.press(Key.Key_Return)
    assert (desk.text, desk.offered, desk.sent) == ("ask @claude ", [], [])


def test_slash_offers_commands_and_asks_for_them(desk: Desk, qtbot: QtBot) -> None:
    with qtbot.waitSignal(desk.composer.commands_wanted):
        desk.type("/")
    assert desk.offered == ["/compact"]
    desk.press(Key.Key_Tab)
    assert desk.text == "/compact "


def test_escape_closes_the_completions_first_and_then_stops(desk: Desk) -> None:
    desk.composer.show_turn(busy=True, queued=0)
    desk.type("@")
    desk.press(Key.Key_Escape)
    assert (desk.offered, desk.stops) == ([], [])
    desk.press(Key.Key_Escape)
    assert desk.stops == [True]


def test_escape_means_nothing_while_nothing_runs(desk: Desk) -> None:
    desk.press(Key.Key_Escape)
    assert desk.stops == []


def test_stop_is_there_while_the_conversation_answers(desk: Desk) -> None:
    assert not desk.composer.stop_button.isVisible()
    desk.composer.show_turn(busy=True, queued=2, waiting="Waiting for Codex")
    assert desk.composer.stop_button.isVisible()
    assert desk.composer.status == "Waiting for Codex · 2 message(s) queued"
    desk.qtbot.mouseClick(desk.composer.stop_button, Qt.MouseButton.LeftButton)
    assert desk.stops == [True]


def test_the_placeholder_names_the_conversation(desk: Desk) -> None:
    assert desk.composer.text.placeholderText() == "Message #release   (@ mention · / command)"
    desk.composer.show_conversation("Mini Me", direct=True, draft="draft", said=[])
    assert desk.composer.text.placeholderText() == "Message Mini Me   (/ command)"
    assert desk.text == "draft"


def test_a_mention_after_an_emoji_is_completed_where_it_stands(desk: Desk) -> None:
    desk.composer.text.setPlainText("🤖🦊 ask ")
    desk.composer.text.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(desk.composer.text, "@cla")
    QTest.keyClick(desk.composer.text, Qt.Key.Key_Return)
    assert desk.text == "🤖🦊 ask @claude "
