"""The settings: the configuration file is changed in the window, with help, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget, QMenu, QPushButton, QToolButton

from sidekicks.events import PermissionRequested
from sidekicks.models import Problem
from sidekicks.ui.dialogs.confirm import ConfirmDialog
from sidekicks.ui.dialogs.guide import GuideDialog
from sidekicks.ui.settings.page import SettingsPage
from tests.gui.conftest import Drive, until
from tests.gui.real_desk import RealDesk, configure, entry, real_desk

Scenario = Callable[[RealDesk, SettingsPage], Coroutine[Any, Any, None]]
Play = Callable[[Scenario], None]
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return configure(tmp_path, entry("ada"), entry("bob"))


@pytest.fixture
def play(drive: Drive[Any], config: Path) -> Play:
    """Opens the settings by their key, and plays."""

    def run(scenario: Scenario) -> None:
        async def main() -> None:
            async with real_desk(config) as desk:
                QTest.keyClick(desk.window, Qt.Key.Key_Comma, CONTROL)
                [page] = desk.window.findChildren(SettingsPage)
                await until(page.isVisible)
                await scenario(desk, page)

        drive(main())

    return run


def at_the_end(page: SettingsPage, text: str) -> None:
    """Types `text` on a new line at the end of the file."""
    QTest.keyClick(page.editor, Qt.Key.Key_End, CONTROL)
    QTest.keyClicks(page.editor, text)


def choose(menu: QMenu, text: str) -> None:
    """Takes the entry of a menu."""
    next(action for action in menu.actions() if action.text() == text).trigger()
    menu.deleteLater()


def test_a_change_is_in_force_once_it_is_saved(play: Play, config: Path) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        assert page.text == config.read_text()
        assert (page.state, page.save.isEnabled()) == ("Saved", False)
        at_the_end(page, "limits: {maxRunningAgents: 2}")
        assert (page.state, page.save.isEnabled()) == ("Not saved", True)
        QTest.keyClick(page.editor, Qt.Key.Key_S, CONTROL)
        await until(lambda: page.state == "Saved")
        assert desk.core.config.config.limits.max_running_agents == 2
        assert config.read_text().endswith("limits: {maxRunningAgents: 2}")

    play(scenario)


def test_problems_are_shown_while_one_types_and_lead_to_their_place(play: Play, config: Path) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        before = config.read_text()
        at_the_end(page, "limitz: {}")
        await until(page.problems.texts)
        [text] = page.problems.texts()
        assert text.startswith("✕  Line 6: ")
        assert "did you mean `limits`?" in text
        assert (page.state, page.save.isEnabled(), page.editor.mark_of(6)) == ("1 problem", False, "✕")
        QTest.keyClick(page.editor, Qt.Key.Key_S, CONTROL)
        assert config.read_text() == before
        QTest.keyClick(page.editor, Qt.Key.Key_Home, CONTROL)
        page.problems.choose(0)
        assert page.editor.textCursor().blockNumber() == 5
        assert page.problems.fix.text() == "Change to “limits”"

    play(scenario)


def test_a_long_problem_can_be_read_whole_in_a_narrow_window(play: Play) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        desk.window.resize(700, 600)
        at_the_end(page, "limits: {maxRunningAgents: many}")
        QTest.keyClick(page.editor, Qt.Key.Key_Return)
        QTest.keyClicks(page.editor, "limitz: {}")
        rows = page.problems.findChild(QListWidget)
        assert rows is not None
        await until(lambda: len(page.problems.texts()) == 2)
        await until(lambda: rows.visualItemRect(rows.item(0)).height() > 2 * rows.fontMetrics().height())
        await until(lambda: rows.viewport().rect().contains(rows.visualItemRect(rows.item(1))))

    play(scenario)


def test_a_slip_is_mended_by_what_the_problem_proposes(play: Play) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        at_the_end(page, "limitz: {maxRunningAgents: 2}")
        await until(page.problems.texts)
        page.problems.fix.click()
        await until(lambda: not page.problems.texts())
        assert page.text.endswith("limits: {maxRunningAgents: 2}")
        assert page.save.isEnabled()

    play(scenario)


def test_a_save_that_the_disk_refused_can_be_tried_again(play: Play, config: Path) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        at_the_end(page, "# mine")
        page.refuse([Problem(line=1, column=1, message="the file can't be written: No space left")])
        assert page.problems.texts() == ["✕  Line 1: the file can't be written: No space left"]
        assert (page.state, page.save.isEnabled()) == ("Not saved", True)
        page.save.click()
        await until(lambda: not page.problems.texts())
        assert page.state == "Saved"
        assert config.read_text().endswith("# mine")

    play(scenario)


def test_keys_and_values_are_completed_from_the_schema(play: Play) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        at_the_end(page, "lim")
        assert page.editor.offered == ["limits:"]
        QTest.keyClick(page.editor, Qt.Key.Key_Return)
        QTest.keyClick(page.editor, Qt.Key.Key_Return)
        QTest.keyClick(page.editor, Qt.Key.Key_Space, CONTROL)
        assert page.editor.offered == ["maxRunningAgents: ", "stopIdleAgentsAfter: "]
        QTest.keyClick(page.editor, Qt.Key.Key_Down)
        QTest.keyClick(page.editor, Qt.Key.Key_Tab)
        assert page.editor.offered == ["30s", "2h", "0"]
        QTest.keyClick(page.editor, Qt.Key.Key_Return)
        assert page.text.endswith("limits:\n  stopIdleAgentsAfter: 30s")
        QTest.keyClick(page.editor, Qt.Key.Key_Return)
        QTest.keyClick(page.editor, Qt.Key.Key_Space, CONTROL)
        assert page.editor.offered == ["maxRunningAgents: "]
        QTest.keyClick(page.editor, Qt.Key.Key_Escape)
        assert page.editor.offered == []
        assert page.isVisible()

    play(scenario)


def test_an_agent_is_added_and_is_there_after_saving(play: Play) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        choose(page.bar.agents_menu(), "Mini Me")
        await until(page.save.isEnabled)
        assert page.editor.textCursor().block().text() == "  - name: mm"
        page.save.click()
        await until(lambda: "mm" in desk.workspace.overview.agents)
        assert list(desk.workspace.overview.agents) == ["ada", "bob", "mm"]

    play(scenario)


def test_theme_and_language_are_chosen_and_saved_at_once(play: Play, config: Path) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        choose(page.bar.themes_menu(), "Dark")
        await until(lambda: desk.front.appearance.theme.dark)
        choose(page.bar.languages_menu(), "Français")
        await until(lambda: page.save.text() == "Enregistrer")
        assert config.read_text().startswith("theme: dark\nlanguage: fr\n")
        assert page.state == "Enregistré"

    play(scenario)


def test_the_size_is_chosen_and_everything_follows(play: Play) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        before = page.editor.font().pointSizeF()
        choose(page.bar.zoom_menu(), "Larger (Ctrl++)")
        assert page.bar.zoom.text() == "110 %"
        assert page.editor.font().pointSizeF() > before
        choose(page.bar.zoom_menu(), "Normal size (Ctrl+0)")
        assert page.bar.zoom.accessibleName() == "Size: 100 %"
        assert page.editor.font().pointSizeF() == before

    play(scenario)


def test_an_agents_settings_lead_to_its_entry(play: Play) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        QTest.keyClick(page.editor, Qt.Key.Key_Escape)
        choose(desk.window.sidebar.agents.row("bob").menu(), "Settings…")
        assert page.isVisible()
        cursor = page.editor.textCursor()
        assert cursor.block().text()[cursor.positionInBlock() :].startswith('"bob"')

    play(scenario)


def test_connecting_a_bigger_model_leads_to_where_it_is_written(drive: Drive[Any], tmp_path: Path) -> None:
    config = configure(tmp_path, entry("ada"), entry("mm"))

    async def main() -> None:
        async with real_desk(config) as desk:
            channel = await desk.core.channels.direct("mm")
            desk.workspace.open_channel(channel.id)
            await until(lambda: desk.window.empty.words().startswith("Mm"))
            desk.window.empty.button("Connect a bigger model…").click()
            [guide] = desk.window.findChildren(GuideDialog)
            QTest.keyClick(guide, Qt.Key.Key_Return)
            [page] = desk.window.findChildren(SettingsPage)
            assert page.isVisible()
            cursor = page.editor.textCursor()
            assert cursor.block().text()[cursor.positionInBlock() :].startswith('"mm"')

    drive(main())


def test_what_is_said_below_the_text_is_of_the_size_of_the_rest(play: Play) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        size = settings_button(desk).fontInfo().pixelSize()
        assert [each.fontInfo().pixelSize() for each in (page.discard, page.save)] == [size, size]

    play(scenario)


def test_where_the_scroll_bars_meet_nothing_is_drawn(play: Play) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        page.editor.setPlainText("# " + "long " * 200 + "\n" * 200)
        bars = page.editor.verticalScrollBar(), page.editor.horizontalScrollBar()
        await until(lambda: all(bar.isVisible() for bar in bars))
        image = page.editor.grab().toImage()
        corner = range(1, min(bars[0].width(), bars[1].height()) + 1)
        colours = {image.pixel(image.width() - x, image.height() - y) for x in corner for y in corner}
        assert len(colours) == 1

    play(scenario)


def test_a_change_from_elsewhere_leaves_the_cursor_where_it_is(play: Play, config: Path) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        page.editor.go_to(2, 5)
        theirs = config.read_text() + "# theirs\n"
        config.write_text(theirs)
        await until(lambda: page.text == theirs)
        cursor = page.editor.textCursor()
        assert (cursor.blockNumber() + 1, cursor.positionInBlock() + 1) == (2, 5)

    play(scenario)


def test_a_change_from_elsewhere_is_shown_where_nothing_was_written(play: Play, config: Path) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        theirs = config.read_text() + "# theirs\n"
        config.write_text(theirs)
        await until(lambda: page.text == theirs)
        assert page.state == "Saved"

    play(scenario)


@pytest.mark.parametrize("take", [True, False])
def test_of_two_changes_at_once_none_is_lost(play: Play, config: Path, take: bool) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        before = config.read_text()
        at_the_end(page, "# mine")
        config.write_text(before + "# theirs\n")
        await until(lambda: page.theirs)
        assert not page.outside.isHidden()
        [load] = [b for b in page.outside.findChildren(QPushButton) if b.text() == "Load theirs"]
        assert page.outside.isAncestorOf(page.keep)
        assert page.keep.fontInfo().pixelSize() == load.fontInfo().pixelSize()
        assert page.text == before + "# mine"
        assert not page.save.isEnabled()
        if take:
            page.outside.pressed.emit()
            assert page.text == before + "# theirs\n"
            page.editor.undo()
            assert page.text == before + "# mine"
        else:
            page.keep.click()
            page.save.click()
            await until(lambda: page.state == "Saved")
            assert config.read_text() == before + "# mine"
            await until(Path(f"{config}~").exists)
            assert Path(f"{config}~").read_text() == before + "# theirs\n"
        assert page.outside.isHidden()

    play(scenario)


def test_a_change_from_elsewhere_that_was_taken_back_asks_nothing_more(play: Play, config: Path) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        before = config.read_text()
        at_the_end(page, "# mine")
        config.write_text(before + "# theirs\n")
        await until(lambda: page.theirs)
        config.write_text(before)
        await until(page.outside.isHidden)
        page.save.click()
        await until(lambda: page.state == "Saved")
        assert config.read_text() == before + "# mine"

    play(scenario)


def test_what_is_not_saved_is_still_there_after_going_back(play: Play) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        at_the_end(page, "# later")
        QTest.keyClick(page.editor, Qt.Key.Key_Escape)
        assert not page.isVisible()
        assert desk.window.focusWidget() is desk.window.composer.text
        QTest.keyClick(desk.window, Qt.Key.Key_Comma, CONTROL)
        assert page.text.endswith("# later")
        page.discard.click()
        assert page.state == "Saved"

    play(scenario)


def settings_button(desk: RealDesk) -> QToolButton:
    buttons = desk.window.sidebar.findChildren(QToolButton)
    return next(button for button in buttons if button.text().startswith("Settings"))


@pytest.mark.parametrize("changed", [True, False])
def test_what_is_not_saved_is_said_in_the_sidebar_and_there_after_a_restart(
    play: Play, drive: Drive[Any], config: Path, changed: bool
) -> None:
    before = config.read_text()

    async def write(desk: RealDesk, page: SettingsPage) -> None:
        at_the_end(page, "# later")
        await until(lambda: settings_button(desk).text() == "Settings (not saved)")

    async def again() -> None:
        async with real_desk(config) as desk:
            button = settings_button(desk)
            assert button.text() == "Settings (not saved)"
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
            [page] = desk.window.findChildren(SettingsPage)
            assert page.text == before + "# later"
            assert page.theirs == (before + "# theirs\n" if changed else None)
            page.keep.click()
            page.save.click()
            await until(lambda: button.text() == "Settings")

    async def last(desk: RealDesk, page: SettingsPage) -> None:
        assert (page.state, page.text) == ("Saved", before + "# later")

    play(write)
    if changed:
        config.write_text(before + "# theirs\n")
    drive(again())
    play(last)


def test_of_another_file_nothing_unsaved_comes_back_where_it_was_agreed_to_lose_it(
    play: Play, config: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = configure(tmp_path / "other", entry("cyd"))

    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        at_the_end(page, "# lost")
        await until(lambda: settings_button(desk).text() == "Settings (not saved)")
        page.bar.recent_wanted.emit(str(other))
        [dialog] = desk.window.findChildren(ConfirmDialog)
        dialog.accept()
        await until(lambda: page.text == other.read_text())
        assert settings_button(desk).text() == "Settings"
        page.bar.recent_wanted.emit(str(config))
        await until(lambda: page.text == config.read_text())

    play(scenario)


def test_a_remembered_answer_is_revoked(play: Play) -> None:
    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        assert page.answers.words()[0].startswith("Nothing is remembered")
        channel = await desk.core.channels.direct("ada")
        async with desk.core.events.subscribe() as told:
            await desk.core.channels.send(channel.id, "!ask(edit, notes.txt)")
            asked = await anext(event async for event in told if isinstance(event, PermissionRequested))
        always = next(option for option in asked.options if option.remembered)
        await desk.core.channels.answer_permission(asked.id, always.option_id)
        await until(lambda: page.answers.words() == ["Ada · Always allow edits"])
        page.answers.revoked.emit("ada", "edit")
        await until(lambda: page.answers.words()[0].startswith("Nothing is remembered"))
        assert desk.core.channels.rules() == ()

    play(scenario)


def test_another_file_is_opened_with_its_own_agents(play: Play, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = configure(tmp_path / "other", entry("cyd"))

    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        page.bar.recent_wanted.emit(str(other))
        await until(lambda: list(desk.workspace.overview.agents) == ["cyd"])
        assert page.text == other.read_text()
        assert page.isVisible()

    play(scenario)


@pytest.mark.parametrize("agree", [True, False])
def test_another_file_is_not_opened_over_unsaved_text_unasked(
    play: Play, tmp_path: Path, agree: bool
) -> None:
    (tmp_path / "other").mkdir()
    other = configure(tmp_path / "other", entry("cyd"))

    async def scenario(desk: RealDesk, page: SettingsPage) -> None:
        at_the_end(page, "# mine")
        page.bar.recent_wanted.emit(str(other))
        [dialog] = desk.window.findChildren(ConfirmDialog)
        assert "did not save is lost" in dialog.words()
        if agree:
            dialog.agree.click()
            await until(lambda: page.text == other.read_text())
        else:
            dialog.reject()
            assert page.text.endswith("# mine")
            assert list(desk.workspace.overview.agents) == ["ada", "bob"]

    play(scenario)
