"""What agents ask the user to fill in or to open: the dialog, over a core in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton

from sidekicks import events
from sidekicks.models import FormField
from sidekicks.ui.check_box import CheckBox
from sidekicks.ui.dialogs.form import FormDialog
from tests.gui.conftest import Drive, until
from tests.gui.desk import Desk
from tests.gui.stand_in import StandInCore

FIELDS = (
    FormField(name="name", title="Project", kind="text", required=True),
    FormField(name="port", title="Port", kind="integer", default=8080),
    FormField(name="tests", title="With tests", kind="boolean", default=True),
    FormField(name="kind", title="Kind", kind="choice", choices=(("lib", "Library"), ("app", "Program"))),
    FormField(name="with", title="With", kind="choices", choices=(("a", "Docs"), ("b", "Benchmarks"))),
)

Use = Callable[..., None]


@pytest.fixture
def use(drive: Drive[Any], tmp_path: Path) -> Use:
    """Runs a scenario with a desk and closes it whatever happens."""

    def run(scenario: Callable[[Desk], Any]) -> None:
        async def main() -> None:
            desk = Desk(StandInCore(), tmp_path)
            try:
                await scenario(desk)
            finally:
                await desk.close()

        drive(main())

    return run


def asked(**fields: Any) -> events.ElicitationRequested:
    return events.ElicitationRequested(
        **{"id": "e", "channel": "c", "agent": "codex", "message": "Which project?", **fields}
    )


def dialogs(desk: Desk) -> list[FormDialog]:
    return [found for found in desk.window.findChildren(FormDialog) if found.isVisible()]


async def shown(desk: Desk, request: events.ElicitationRequested) -> FormDialog:
    desk.core.events.publish(request)
    await until(lambda: dialogs(desk))
    return dialogs(desk)[0]


def press(dialog: FormDialog, text: str) -> None:
    next(button for button in dialog.findChildren(QPushButton) if button.text() == text).click()


def tick(dialog: FormDialog, text: str) -> None:
    next(box for box in dialog.findChildren(CheckBox) if box.text() == text).click()


def test_a_form_is_filled_in_and_sent(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        dialog = await shown(desk, asked(fields=FIELDS))
        assert dialog.windowTitle() == "Codex asks"
        name, port = dialog.findChildren(QLineEdit)
        assert (name.accessibleName(), port.text()) == ("Project", "8080")
        QTest.keyClicks(name, "parser")
        tick(dialog, "Library")
        tick(dialog, "Program")
        tick(dialog, "Docs")
        press(dialog, "Send")
        await until(lambda: desk.core.channels.elicited)
        values = {"name": "parser", "port": 8080, "tests": True, "kind": "app", "with": ("a",)}
        assert desk.core.channels.elicited == [("e", "accept", values)]
        await until(lambda: not dialogs(desk))

    use(scenario)


def test_an_answer_that_is_refused_says_why_and_can_be_given_again(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        dialog = await shown(desk, asked(fields=FIELDS))
        desk.core.channels.refuse = "Project must not be empty"
        press(dialog, "Send")
        await until(lambda: dialog.error)
        assert dialog.error == "Project must not be empty"
        desk.core.channels.refuse = ""
        press(dialog, "Send")
        await until(lambda: not dialogs(desk))

    use(scenario)


def test_declining_and_closing_are_told_apart(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        press(await shown(desk, asked()), "Decline")
        await until(lambda: not dialogs(desk))
        (await shown(desk, asked(id="f"))).close()
        await until(lambda: len(desk.core.channels.elicited) == 2)
        assert [answer[:2] for answer in desk.core.channels.elicited] == [("e", "decline"), ("f", "cancel")]

    use(scenario)


def test_a_question_that_is_withdrawn_goes_without_an_answer(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await shown(desk, asked())
        desk.core.events.publish(events.ElicitationResolved(id="e", channel="c"))
        await until(lambda: not dialogs(desk))
        assert desk.core.channels.elicited == []

    use(scenario)


def test_a_link_is_shown_whole_and_opened_when_the_user_agrees(
    use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)

    async def scenario(desk: Desk) -> None:
        url = "https://example.org/login?code=\u202eabc"
        dialog = await shown(desk, asked(url=url))
        words = [label.text() for label in dialog.findChildren(QLabel)]
        assert "https://example.org/login?code=⟨U+202E⟩abc" in words
        assert opened == []
        press(dialog, "Open the link")
        await until(lambda: desk.core.channels.elicited)
        assert opened == [QUrl(url)]

    use(scenario)
