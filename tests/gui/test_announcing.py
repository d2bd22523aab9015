"""What a user is told who looks elsewhere, and what they see when something of ours fails."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from sidekicks.tasks import Tasks
from sidekicks.ui.announcing import Announcing
from sidekicks.ui.crashes import CrashReports
from sidekicks.ui.dialogs.crash import CrashDialog
from sidekicks.ui.shutdown import Shutdown
from tests.gui.conftest import Drive, until
from tests.gui.real_desk import RealDesk, configure, entry, real_desk

Scenario = Callable[[RealDesk], Coroutine[Any, Any, None]]
Play = Callable[[Scenario], None]


@pytest.fixture
def play(drive: Drive[Any], tmp_path: Path) -> Play:
    config = configure(tmp_path, entry("ada"), entry("bob"))

    def run(scenario: Scenario) -> None:
        async def main() -> None:
            async with real_desk(config) as desk:
                await scenario(desk)

        drive(main())

    return run


def test_who_looks_elsewhere_is_told_of_questions_and_answers(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        told: list[tuple[str, str]] = []
        announcing = Announcing(desk.window, desk.workspace, lambda title, text: told.append((title, text)))
        desk.window.hide()
        channel = await desk.core.channels.direct("bob")
        await desk.core.channels.send(channel.id, "!ask(edit, notes.txt)")
        await until(lambda: told)
        assert told == [("Bob asks you · Bob", "notes.txt")]
        [request] = (await desk.core.channels.conversation(channel.id)).permissions
        await desk.core.channels.answer_permission(request.id, request.options[0].option_id)
        await until(lambda: len(told) == 2)
        assert told[1][0] == "Bob has answered · Bob"
        announcing.lead()
        await until(lambda: desk.workspace.overview.shown == channel.id)
        assert desk.window.isVisible()

    play(scenario)


def test_who_looks_at_the_window_is_not_told(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        told: list[str] = []
        Announcing(desk.window, desk.workspace, lambda title, text: told.append(title))
        desk.window.activateWindow()
        await until(desk.window.isActiveWindow)
        await desk.say("hello")
        assert told == []

    play(scenario)


async def _fail() -> None:
    raise RuntimeError("the parrot is dead")


def test_a_fault_of_ours_is_said_with_a_way_on(play: Play, tmp_path: Path) -> None:
    async def scenario(desk: RealDesk) -> None:
        shutdown = Shutdown()
        reports = CrashReports(desk.window, desk.front.appearance, tmp_path / "sidekicks.log", shutdown)
        tasks = Tasks()
        for _ in range(3):
            tasks.start(_fail(), "parrot")
        await until(lambda: desk.window.findChildren(CrashDialog))
        [dialog] = desk.window.findChildren(CrashDialog)
        assert "RuntimeError: the parrot is dead" in dialog.details
        buttons = {button.text(): button for button in dialog.findChildren(QPushButton)}
        buttons["Copy details"].click()
        assert QGuiApplication.clipboard().text() == dialog.details
        buttons["Restart"].click()
        assert shutdown.again
        reports.close()
        await tasks.close()

    play(scenario)


PROGRAM = """
import logging, sys
from pathlib import Path
from sidekicks.ui.log_file import log_file
with log_file(Path(sys.argv[1])) as path:
    logging.getLogger("sidekicks.x").warning("something odd")
    logging.getLogger("sidekicks.x").info("nothing to keep")
print(oct(path.stat().st_mode & 0o777), path.read_text().strip())
"""


def test_warnings_are_kept_in_a_file_of_the_users_alone(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "new")], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("0o600 ")
    assert ran.stdout.endswith("WARNING sidekicks.x: something odd\n")
    assert "something odd" in ran.stderr
