"""The list of conversations: what it shows, and how one gets around in it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from sidekicks.models import AgentStatus, Channel
from sidekicks.ui.overview import Overview
from sidekicks.ui.sidebar.list import ConversationsList
from sidekicks.ui.sidebar.sidebar import Sidebar
from sidekicks.ui.theme import Theme

Key = Qt.Key


@pytest.fixture
def overview() -> Overview:
    agents = [
        AgentStatus(name=name, title=title, icon="", description="", state="stopped")
        for name, title in (("mm", "Mini Me"), ("codex", "Codex"))
    ]
    return Overview(agents, [Channel(id="1", name="release"), Channel(id="2", name="parser")])


@pytest.fixture
def sidebar(qtbot: QtBot, theme: Theme, overview: Overview) -> Sidebar:
    sidebar = Sidebar(theme)
    qtbot.addWidget(sidebar)
    sidebar.resize(240, 600)
    sidebar.show()
    sidebar.show_overview(overview)
    return sidebar


def listed(sidebar: Sidebar) -> ConversationsList:
    found = sidebar.findChild(ConversationsList)
    assert found is not None
    return found


def spoken(sidebar: Sidebar) -> list[str]:
    model = listed(sidebar).model()
    role = Qt.ItemDataRole.AccessibleTextRole
    return [model.index(row, 0).data(role) for row in range(model.rowCount())]


def test_channels_come_first_then_a_direct_conversation_for_each_agent(sidebar: Sidebar) -> None:
    assert spoken(sidebar) == ["# release", "# parser", "Direct", "Mini Me", "Codex"]


def test_it_says_who_answers_who_asks_and_what_is_unread(sidebar: Sidebar, overview: Overview) -> None:
    overview.activity("1").unread = 3
    overview.activity("2").busy = True
    sidebar.show_overview(overview)
    assert spoken(sidebar)[:2] == ["# release, 3 unread message(s)", "# parser, answering"]


def test_a_click_opens_a_channel_and_begins_a_direct_conversation(sidebar: Sidebar, qtbot: QtBot) -> None:
    view = listed(sidebar)

    def click(row: int) -> None:
        at = view.visualRect(view.model().index(row, 0)).center()
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)

    with qtbot.waitSignal(sidebar.channel_chosen) as channel:
        click(1)
    with qtbot.waitSignal(sidebar.agent_chosen) as agent:
        click(4)
    assert (channel.args, agent.args) == (["2"], ["codex"])


def test_the_keyboard_goes_over_the_section_title(sidebar: Sidebar, qtbot: QtBot) -> None:
    view = listed(sidebar)
    view.setCurrentIndex(view.model().index(1, 0))
    qtbot.keyClick(view, Key.Key_Down)
    with qtbot.waitSignal(sidebar.agent_chosen) as agent:
        qtbot.keyClick(view, Key.Key_Return)
    assert agent.args == ["mm"]


def test_search_narrows_the_list_and_enter_opens_the_first(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.focus_search()
    field = sidebar.findChild(QLineEdit, "search")
    qtbot.keyClicks(field, "pars")
    assert spoken(sidebar) == ["# parser", "Direct"]
    with qtbot.waitSignal(sidebar.channel_chosen) as channel:
        qtbot.keyClick(field, Key.Key_Return)
    assert channel.args == ["2"]
    assert len(spoken(sidebar)) == 5


def test_the_current_row_stays_when_others_come(sidebar: Sidebar, overview: Overview) -> None:
    view = listed(sidebar)
    view.setCurrentIndex(view.model().index(1, 0))
    overview.channels["0"] = Channel(id="0", name="new")
    overview.channels = dict(sorted(overview.channels.items()))
    sidebar.show_overview(overview)
    assert view.currentIndex().data() == "# parser"


def drag(sidebar: Sidebar, qtbot: QtBot, row: int, to: int) -> None:
    """Drags a row over the lower half of another."""
    view = listed(sidebar)
    start = view.visualRect(view.model().index(row, 0)).center()
    end = view.visualRect(view.model().index(to, 0)).bottomLeft() + QPoint(20, 0)
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(view.viewport(), (start + end) / 2)
    qtbot.mouseMove(view.viewport(), end)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=end)


def test_conversations_are_dragged_among_their_like(sidebar: Sidebar, qtbot: QtBot) -> None:
    opened: list[str] = []
    sidebar.channel_chosen.connect(opened.append)
    with qtbot.waitSignal(sidebar.reordered) as kept:
        drag(sidebar, qtbot, 0, 1)
    assert spoken(sidebar) == ["# parser", "# release", "Direct", "Mini Me", "Codex"]
    drag(sidebar, qtbot, 4, 0)
    assert spoken(sidebar) == ["# parser", "# release", "Direct", "Codex", "Mini Me"]
    drag(sidebar, qtbot, 0, 0)
    assert opened == []
    [order] = kept.args
    sidebar.arrange(order)
    assert spoken(sidebar)[-2:] == ["Mini Me", "Codex"]


def test_a_new_conversation_comes_last_until_it_is_moved(
    sidebar: Sidebar, overview: Overview, qtbot: QtBot
) -> None:
    view = listed(sidebar)
    view.setCurrentIndex(view.model().index(1, 0))
    moving = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(view, Key.Key_Up, moving)
    qtbot.keyClick(view, Key.Key_Up, moving)
    overview.channels["3"] = Channel(id="3", name="new")
    sidebar.show_overview(overview)
    assert spoken(sidebar)[:3] == ["# parser", "# release", "# new"]
    assert view.currentIndex().data() == "# parser"
    qtbot.keyClick(view, Key.Key_Down, moving)
    assert spoken(sidebar)[:3] == ["# release", "# parser", "# new"]


def test_keys_edit_and_delete_the_current_conversation(sidebar: Sidebar, qtbot: QtBot) -> None:
    view = listed(sidebar)
    view.setCurrentIndex(view.model().index(1, 0))
    with qtbot.waitSignal(sidebar.rename_requested) as edited:
        qtbot.keyClick(view, Key.Key_F2)
    with qtbot.waitSignal(sidebar.delete_requested) as deleted:
        qtbot.keyClick(view, Key.Key_Delete)
    assert edited.args == deleted.args == ["2"]
