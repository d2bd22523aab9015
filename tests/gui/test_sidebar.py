"""The list of conversations: what it shows, and how one gets around in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from sidekicks.models import AgentStatus, Channel
from sidekicks.ui.overview import Overview
from sidekicks.ui.sidebar.sidebar import ConversationsList, Sidebar
from sidekicks.ui.theme import Theme
from tests.gui.conftest import Drive, until
from tests.gui.real_desk import RealDesk, configure, entry, real_desk

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


def test_conversations_are_put_in_order_by_keyboard_and_mouse_and_stay_so(
    drive: Drive[Any], tmp_path: Path
) -> None:
    config = configure(tmp_path, entry("ada"), entry("bob"))

    def titles(desk: RealDesk) -> list[str]:
        return [row.title for row in desk.window.sidebar.conversations()]

    async def main() -> None:
        async with real_desk(config) as desk:
            for name in ("one", "two", "three"):
                await desk.core.channels.create(name)
            await until(lambda: titles(desk) == ["one", "two", "three", "Ada", "Bob"])
            [listed] = desk.window.sidebar.findChildren(ConversationsList)
            model = listed.model()
            listed.setCurrentIndex(model.index(2, 0))
            both = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
            QTest.keyClick(listed, Qt.Key.Key_Up, both)
            assert titles(desk) == ["one", "three", "two", "Ada", "Bob"]
            dragged = model.mimeData([model.index(5, 0)])
            model.dropMimeData(dragged, Qt.DropAction.MoveAction, 0, 0, QModelIndex())
            assert titles(desk) == ["one", "three", "two", "Bob", "Ada"]  # not among the channels
        async with real_desk(config) as desk:
            await until(lambda: titles(desk) == ["one", "three", "two", "Bob", "Ada"])

    drive(main())
