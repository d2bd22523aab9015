"""A whole coding task that mm does in the window: asked, allowed by keys, seen, and kept by mm as it was."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sidekicks.models import ToolPart
from sidekicks.ui.conversation.permission_card import PermissionCard
from tests.coding_task import ANSWER, QUESTION, REPLIES, TRANSCRIPT, is_mended, lay_out, transcript
from tests.gui.conftest import Drive, until
from tests.gui.real_desk import RealDesk, configure, real_desk
from tests.gui.test_day import Day
from tests.scripted_model import ScriptedModel, Text

ROOT = Path(__file__).parents[2]


async def allow(day: Day, what: str) -> None:
    """Waits for the question whether mm may do this, and allows it once."""

    def cards() -> list[PermissionCard]:
        found = day.desk.view.findChildren(PermissionCard)
        return [card for card in found if card.isVisible() and what in card.accessibleName()]

    await until(cards)
    (card,) = cards()
    QTest.keyClick(day.window.composer.text, Qt.Key.Key_Return)
    await until(card.hasFocus)
    QTest.keyClick(card, Qt.Key.Key_Return)


def test_mm_does_it_in_the_window(drive: Drive[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    lay_out(folder)
    monkeypatch.setenv("HOME", str(tmp_path))

    async def play(desk: RealDesk, server: ScriptedModel) -> None:
        day = Day(desk)
        day.write(QUESTION)
        for what in ("run a command", "edit", "run a command"):
            await allow(day, what)
        await day.answered(ANSWER)
        assert is_mended(folder)
        parts = [part for message in await day.messages() for part in message.parts]
        calls = [(part.kind, part.status) for part in parts if isinstance(part, ToolPart)]
        done = "completed"
        assert calls == [("read", done), ("execute", "failed"), ("edit", done), ("execute", done)]
        day.write("Anything else?")
        await day.answered("Nothing else.")
        assert transcript(server) == [*TRANSCRIPT, ("user", "Anything else?")]

    async def whole() -> None:
        async with ScriptedModel([*REPLIES, [Text("Nothing else.")]]) as server:
            mm = {
                "name": "mm",
                "title": "Mini Me",
                "command": sys.executable,
                "args": ["-m", "minime_agent", "--acp", "--base-url", server.url],
                "cwd": str(folder),
                "env": {"PYTHONPATH": str(ROOT)},
            }
            async with real_desk(configure(tmp_path, mm)) as desk:
                await play(desk, server)

    drive(whole())
