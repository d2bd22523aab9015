"""Finding what was said, in a conversation and in all; going anywhere by a few letters."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from sidekicks.history.open import data_path, open_history
from sidekicks.ids import Ids
from sidekicks.models import Channel, Message, Part, TextPart, ThoughtPart
from sidekicks.ui.archive import Archive
from sidekicks.ui.conversation.body import Body
from sidekicks.ui.guides import shortcuts_guide
from sidekicks.ui.search.find_bar import FindBar
from sidekicks.ui.search.fuzzy import score
from sidekicks.ui.search.page import SearchPage
from sidekicks.ui.search.switcher import Switcher
from tests.gui.conftest import Drive, until
from tests.gui.real_desk import RealDesk, configure, entry, real_desk

Scenario = Callable[[RealDesk], Coroutine[Any, Any, None]]
Play = Callable[[Scenario], None]
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
MANY = 230


async def fill(config: Path) -> None:
    """A direct conversation with Ada with many messages, and a channel: as if it had all been said."""
    history, _ = await open_history(data_path(config, config.parent / "data"))
    ids = Ids()

    def said(channel: str, *parts: Part, agent: str = "") -> Message:
        return Message(
            id=ids.new(),
            channel=channel,
            created_at=datetime(2026, 12, 1, 12, tzinfo=UTC),
            role="agent" if agent else "user",
            agent=agent,
            parts=parts,
            stop_reason="end_turn" if agent else None,
        )

    direct = Channel(id=ids.new(), direct="ada", members=("ada",))
    channel = Channel(id=ids.new(), name="parser", members=("bob",))
    await history.put_messages(
        [
            said(channel.id, TextPart(text="another needle in a haystack"), agent="bob"),
            said(direct.id, TextPart(text="🤖 the needle is **here** 🦊")),
            said(direct.id, ThoughtPart(text="a hidden needle"), TextPart(text="done"), agent="ada"),
            *(said(direct.id, TextPart(text=f"number {n}"), agent="ada") for n in range(MANY)),
        ]
    )
    for one in (channel, direct):
        await history.put_channel(one)
    await history.close()


@pytest.fixture
def play(drive: Drive[Any], tmp_path: Path) -> Play:
    config = configure(tmp_path, entry("ada"), entry("bob"))

    def run(scenario: Scenario) -> None:
        async def main() -> None:
            await fill(config)
            async with real_desk(config) as desk:
                await scenario(desk)

        drive(main())

    return run


def marked(desk: RealDesk) -> list[str]:
    """What is marked in the bodies that can be seen."""
    return [
        selection.cursor.selectedText()
        for body in desk.view.findChildren(Body)
        if body.isVisible()
        for selection in body.extraSelections()
    ]


def test_all_conversations_are_searched_and_a_hit_leads_to_its_message(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        QTest.keyClick(desk.window, Qt.Key.Key_F, CONTROL | SHIFT)
        [page] = desk.window.findChildren(SearchPage)
        assert page.field.hasFocus()
        QTest.keyClicks(page.field, "needle")
        await until(lambda: page.results.count() == 2)
        assert any("haystack" in text for text in page.results.texts())
        oldest = page.results.texts().index(
            next(t for t in page.results.texts() if "here" in t and "echo" not in t)
        )
        for _ in range(oldest):
            QTest.keyClick(page.field, Qt.Key.Key_Down)
        QTest.keyClick(page.field, Qt.Key.Key_Return)
        await until(lambda: "needle" in marked(desk))
        assert not page.isVisible()
        first = min((b for b in desk.view.findChildren(Body) if b.isVisible()), key=lambda body: body.y())
        assert "the needle is here" in first.toPlainText()
        assert marked(desk) == ["needle"]

    play(scenario)


def test_a_search_that_finds_nothing_says_so(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        QTest.keyClicks(desk.window.sidebar.search_field, "zebra")
        QTest.keyClick(desk.window.sidebar.search_field, Qt.Key.Key_Return)
        [page] = desk.window.findChildren(SearchPage)
        assert page.field.text() == "zebra"
        await until(lambda: page.said == "Nothing was found.")
        QTest.keyClick(page.field, Qt.Key.Key_Escape)
        assert not page.isVisible()

    play(scenario)


def test_words_are_found_in_the_conversation_also_before_what_is_loaded(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        QTest.keyClick(desk.window, Qt.Key.Key_F, CONTROL)
        [bar] = desk.window.findChildren(FindBar)
        QTest.keyClicks(bar.field, "NUMBER 22")
        assert bar.said == "10 of 10+"
        assert marked(desk)[-1] == "number 22"
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
        assert bar.said == "9 of 10+"
        bar.field.setText("needle")
        assert bar.said == "Nothing in what is loaded"
        while "of 2" not in bar.said or "+" in bar.said:
            before = bar.said
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            await until(lambda before=before: bar.said != before)
        await until(lambda: "needle" in marked(desk))
        QTest.keyClick(bar.field, Qt.Key.Key_Escape)
        assert not bar.isVisible()
        assert marked(desk) == []
        assert desk.window.focusWidget() is desk.window.composer.text

    play(scenario)


def test_f3_goes_on_around_the_ends_wherever_the_keyboard_is(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        QTest.keyClick(desk.window, Qt.Key.Key_F, CONTROL)
        [bar] = desk.window.findChildren(FindBar)
        QTest.keyClicks(bar.field, "number 229")
        assert bar.said == "1 of 1+"
        bar.field.setText("number 22")
        assert bar.said == "10 of 10+"
        desk.window.composer.text.setFocus()
        QTest.keyClick(desk.window.composer.text, Qt.Key.Key_F3)
        assert bar.said == "9 of 10+"
        for said in ("10 of 10+", "1 of 10+"):
            QTest.keyClick(desk.window.composer.text, Qt.Key.Key_F3, SHIFT)
            assert bar.said == said

    play(scenario)


def test_the_list_of_keys_names_every_key(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        _, text = shortcuts_guide()
        numbers = {f"Ctrl+{number}" for number in range(2, 9)}
        keys = {shortcut.key().toString() for shortcut in desk.window.findChildren(QShortcut)}
        assert {key for key in keys - numbers - {"Ctrl+="} if key not in text} == set()

    play(scenario)


def test_what_is_folded_is_unfolded_to_show_what_was_found(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        QTest.keyClick(desk.window, Qt.Key.Key_F, CONTROL)
        [bar] = desk.window.findChildren(FindBar)
        bar.field.setText("a hidden")
        while "of" not in bar.said:
            before = bar.said
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            await until(lambda before=before: bar.said != before)
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
        await until(lambda: any(b.toPlainText() == "a hidden needle" for b in desk.view.findChildren(Body)))
        assert "a hidden" in marked(desk)

    play(scenario)


def test_a_few_letters_and_enter_lead_anywhere(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        QTest.keyClick(desk.window, Qt.Key.Key_K, CONTROL)
        switcher = QApplication.activeModalWidget()
        assert isinstance(switcher, Switcher)
        assert switcher.texts()[0] == "#parser"
        assert "Ada" not in switcher.texts()  # it is shown
        QTest.keyClicks(switcher.field, "prs")
        assert switcher.texts()[0] == "#parser"
        QTest.keyClick(switcher.field, Qt.Key.Key_Return)
        await until(lambda: desk.window.windowTitle().startswith("#parser"))
        desk.window.activateWindow()  # no window manager does it here
        await until(desk.window.isActiveWindow)
        QTest.keyClick(desk.window, Qt.Key.Key_K, CONTROL)
        switcher = QApplication.activeModalWidget()
        assert isinstance(switcher, Switcher)
        QTest.keyClicks(switcher.field, "search every")
        QTest.keyClick(switcher.field, Qt.Key.Key_Return)
        assert desk.window.findChildren(SearchPage)[0].isVisible()

    play(scenario)


def test_a_conversation_is_exported_and_imported_again(play: Play, tmp_path: Path) -> None:
    async def scenario(desk: RealDesk) -> None:
        archive = desk.window.findChild(Archive)
        assert archive is not None
        channel = next(one for one in desk.core.channels.list() if one.name == "parser")
        archive.write(channel.id, "json", str(tmp_path / "parser.json"))
        await until((tmp_path / "parser.json").exists)
        archive.read(str(tmp_path / "parser.json"))
        await until(lambda: desk.window.windowTitle().startswith("#parser (2)"))
        await until(
            lambda: "haystack" in "".join(body.toPlainText() for body in desk.view.findChildren(Body))
        )
        (tmp_path / "bad.json").write_text("nothing")
        archive.read(str(tmp_path / "bad.json"))
        await until(lambda: "bad.json" in desk.window.failure.text())

    play(scenario)


@pytest.mark.parametrize(
    ("typed", "better", "worse"),
    [
        ("par", "parser", "compare"),
        ("ps", "parser", "release"),
        ("new ch", "New channel…", "Search channels"),
    ],
)
def test_what_is_meant_comes_first(typed: str, better: str, worse: str) -> None:
    assert (score(typed, better) or 0) > (score(typed, worse) or -999)
    assert score("xyz", better) is None
