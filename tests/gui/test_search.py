"""Finding what was said, in a conversation and in all; going anywhere by a few letters."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from sidekicks.core import Core, open_core
from sidekicks.events import TurnChanged
from sidekicks.ui.archive import Archive
from sidekicks.ui.conversation.body import Body
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
MANY = 130


async def say(core: Core, channel: str, *texts: str) -> None:
    """Says these, one after the other, and waits for each answer."""
    for text in texts:
        async with core.events.subscribe() as told:
            await core.channels.send(channel, text)
            async for event in told:
                if isinstance(event, TurnChanged) and event.channel == channel and not event.busy:
                    break


@pytest.fixture
def play(drive: Drive[Any], tmp_path: Path) -> Play:
    """A direct conversation with Ada with many messages, and a channel."""
    config = configure(tmp_path, entry("ada"), entry("bob"))

    def run(scenario: Scenario) -> None:
        async def main() -> None:
            async with open_core(config, data_dir=tmp_path / "data") as core:
                direct = await core.channels.direct("ada")
                await say(core, direct.id, "the needle is **here**", "!thought(a hidden needle) !text(done)")
                await say(core, direct.id, *(f"number {n}" for n in range(MANY)))
                channel = await core.channels.create("parser")
                await core.channels.add_member(channel.id, "bob")
                await say(core, channel.id, "another needle in a haystack")
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
        await until(lambda: page.results.count() == 5)
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
        QTest.keyClicks(bar.field, "NUMBER 129")
        assert bar.said == "2 of 2+"
        assert marked(desk) == ["number 129", "number 129"]
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
        assert bar.said == "1 of 2+"
        bar.field.setText("needle")
        assert bar.said == "Nothing in what is loaded"
        while "of 4" not in bar.said or "+" in bar.said:
            before = bar.said
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            await until(lambda before=before: bar.said != before)
        await until(lambda: "needle" in marked(desk))
        QTest.keyClick(bar.field, Qt.Key.Key_Escape)
        assert not bar.isVisible()
        assert marked(desk) == []
        assert desk.window.focusWidget() is desk.window.composer.text

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
        while marked(desk) != ["a hidden"]:
            QTest.keyClick(bar.field, Qt.Key.Key_Return)

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
