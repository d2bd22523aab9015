"""What is done with one agent from the window: its options, its sessions, signing in."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget, QMenu

from sidekicks.ui.agents.dock import AgentDock
from sidekicks.ui.dialogs.login import LoginDialog
from sidekicks.ui.dialogs.sessions import SessionsDialog
from tests.gui.conftest import Drive, until
from tests.gui.real_desk import RealDesk, configure, real_desk

SCRIPT = Path(__file__).parents[1] / "scripted_sessions.py"
CONFIG = [
    {
        "id": "model",
        "name": "Model",
        "type": "select",
        "category": "model",
        "currentValue": "a",
        "options": [{"value": "a", "name": "Small"}, {"value": "b", "name": "Big"}],
    },
    {"id": "web", "name": "Web search", "type": "boolean", "currentValue": True},
]
Scenario = Callable[[RealDesk], Coroutine[Any, Any, None]]


@pytest.fixture
def play(drive: Drive[Any], tmp_path: Path) -> Callable[..., None]:
    def run(scenario: Scenario, *options: str, **fields: object) -> None:
        agent = {
            "name": "ada",
            "title": "Ada",
            "command": sys.executable,
            "args": [str(SCRIPT), *options],
            "cwd": str(tmp_path),
            **fields,
        }
        config = configure(tmp_path, agent)

        async def main() -> None:
            async with real_desk(config) as desk:
                await scenario(desk)

        drive(main())

    return run


def entries(menu: QMenu) -> dict[str, QAction]:
    """All entries of a menu and its submenus by their texts."""
    found: dict[str, QAction] = {}
    for action in menu.actions():
        found[action.text()] = action
        if (submenu := action.menu()) is not None:
            found |= entries(submenu)
    return found


def member_menu(desk: RealDesk) -> dict[str, QAction]:
    menu = QMenu(desk.window)
    desk.window.header.fill_member_menu(menu, "ada")
    return entries(menu)


def test_an_agents_options_are_chosen_from_its_chip(play: Callable[..., None]) -> None:
    async def scenario(desk: RealDesk) -> None:
        assert "Its options are known once it has started here" in member_menu(desk)
        await desk.say("hello")
        await until(lambda: "Model: Small" in member_menu(desk))
        menu = member_menu(desk)
        assert (menu["Small"].isChecked(), menu["Big"].isChecked(), menu["Web search"].isChecked()) == (
            True,
            False,
            True,
        )
        menu["Big"].trigger()
        await until(lambda: "Model: Big" in member_menu(desk))
        member_menu(desk)["Web search"].trigger()
        await until(lambda: not member_menu(desk)["Web search"].isChecked())
        options = desk.core.channels.options(desk.workspace.overview.shown)["ada"]
        assert [option.value for option in options] == ["b", False]

    play(scenario, f"options={json.dumps(CONFIG)}")


def test_why_there_are_no_sessions_is_said(play: Callable[..., None]) -> None:
    async def scenario(desk: RealDesk) -> None:
        desk.window.header.sessions_requested.emit("ada")
        [dialog] = desk.window.findChildren(SessionsDialog)
        await until(lambda: dialog.said() == "it can't list the sessions that it keeps")
        assert not dialog.go.isEnabled()
        dialog.reject()

    play(scenario)


def test_the_conversation_goes_on_with_a_session_that_the_agent_keeps(
    play: Callable[..., None], tmp_path: Path
) -> None:
    stored = [
        {"sessionId": f"s{n}", "cwd": str(tmp_path), "title": title, "updatedAt": "2026-11-30T12:00:00Z"}
        for n, title in enumerate(("The parser", "The release"))
    ]

    async def scenario(desk: RealDesk) -> None:
        desk.window.header.sessions_requested.emit("ada")
        [dialog] = desk.window.findChildren(SessionsDialog)
        await until(lambda: dialog.texts() == ["The parser"])
        dialog.more.click()
        await until(lambda: dialog.texts() == ["The parser", "The release"])
        assert dialog.more.isHidden()
        entries = dialog.findChild(QListWidget)
        QTest.keyClick(entries, Qt.Key.Key_Down)
        QTest.keyClick(entries, Qt.Key.Key_Return)
        await until(lambda: not desk.window.findChildren(SessionsDialog))
        assert not desk.window.failure.isVisible()

    play(scenario, "can=list+resume", f"stored={json.dumps(stored)}")


def test_a_login_that_the_agent_does_by_itself(play: Callable[..., None]) -> None:
    async def scenario(desk: RealDesk) -> None:
        row = desk.window.sidebar.agents.row("ada")
        assert row.sign_in.isHidden()
        await desk.say("hello")
        await until(lambda: not row.sign_in.isHidden())
        row.sign_in.click()
        [dialog] = desk.window.findChildren(LoginDialog)
        assert [button.text() for button in dialog.ways] == ["Other", "Log in"]
        dialog.ways[1].click()
        await until(row.sign_in.isHidden)
        await until(lambda: not desk.window.findChildren(LoginDialog))

    play(scenario, "login=agent")


@pytest.mark.skipif(sys.platform != "linux", reason="the terminal program of Debian's alternatives")
def test_a_login_is_opened_in_the_terminal_program(
    play: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, said = tmp_path / "x-terminal-emulator", tmp_path / "said"
    program.write_text(f'#!/bin/sh\necho "$@" > "{said}.new"; mv "{said}.new" "{said}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    async def scenario(desk: RealDesk) -> None:
        row = desk.window.sidebar.agents.row("ada")
        await desk.say("hello")
        await until(lambda: not row.sign_in.isHidden())
        row.sign_in.click()
        [dialog] = desk.window.findChildren(LoginDialog)
        dialog.ways[1].click()
        await until(dialog.terminal.isVisible)
        dialog.terminal.click()
        await until(said.exists)
        assert said.read_text().startswith(f"-e {sys.executable} ")
        assert said.read_text().endswith(" --login\n")
        dialog.reject()

    play(scenario, "login=terminal", f"login-file={tmp_path / 'token'}")


def test_a_login_in_a_terminal_shows_its_command(play: Callable[..., None], tmp_path: Path) -> None:
    async def scenario(desk: RealDesk) -> None:
        row = desk.window.sidebar.agents.row("ada")
        await desk.say("hello")
        await until(lambda: not row.sign_in.isHidden())
        row.sign_in.click()
        [dialog] = desk.window.findChildren(LoginDialog)
        dialog.ways[1].click()
        await until(lambda: dialog.said().endswith(" --login"))
        (tmp_path / "token").write_text("")
        dialog.done_button.click()
        await until(row.sign_in.isHidden)
        await until(lambda: not desk.window.findChildren(LoginDialog))

    play(scenario, "login=terminal", f"login-file={tmp_path / 'token'}")


def test_logs_protocol_and_costs_of_an_agent_are_below_the_conversation(
    play: Callable[..., None], tmp_path: Path
) -> None:
    async def scenario(desk: RealDesk) -> None:
        await desk.say("hello")
        choose(desk, "Logs…")
        [dock] = desk.window.findChildren(AgentDock)
        assert dock.isVisible()
        await until(lambda: "MB" in dock.said)
        assert dock.log.toPlainText().count("who are you?") == 1
        await desk.say("!stderr(and now?)")
        await until(lambda: dock.log.toPlainText().endswith("and now?"))
        assert dock.log.toPlainText().count("who are you?") == 1
        dock.turn_to_protocol()
        assert '"method":"initialize"' in dock.protocol.toPlainText()
        await desk.core.agents.stop("ada")
        await until(lambda: dock.said == "")
        dock.closed.emit()
        assert not dock.isVisible()

    play(scenario, "stderr=who are you?", protocolLog="on")


def choose(desk: RealDesk, text: str) -> None:
    """Takes an entry of the agent's menu in the panel."""
    menu = desk.window.sidebar.agents.row("ada").menu()
    entries(menu)[text].trigger()
    menu.deleteLater()
