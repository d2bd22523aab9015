"""A whole day in the window, over a real core: from the first message to the next morning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QToolButton

from sidekicks.models import Message, TextPart, ToolPart
from sidekicks.ui.check_box import CheckBox
from sidekicks.ui.conversation.body import Body
from sidekicks.ui.conversation.permission_card import PermissionCard
from sidekicks.ui.dialogs.channel import ChannelDialog
from sidekicks.ui.search.page import SearchPage
from sidekicks.ui.settings.page import SettingsPage
from tests.gui.conftest import Drive, until
from tests.gui.real_desk import RealDesk, configure, entry, real_desk

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


class Day:
    """Somebody at the window: types, presses keys and buttons, and reads."""

    def __init__(self, desk: RealDesk) -> None:
        self.desk = desk
        self.window = desk.window

    def write(self, text: str) -> None:
        """Types a message and sends it."""
        field = self.window.composer.text
        field.setFocus()
        QTest.keyClicks(field, text)
        if self.window.composer.offered:
            QTest.keyClick(field, Qt.Key.Key_Escape)
        QTest.keyClick(field, Qt.Key.Key_Return)

    def reads(self, words: str) -> bool:
        """Whether these words can be read in the conversation."""
        bodies = (body for body in self.desk.view.findChildren(Body) if body.isVisible())
        return any(words in body.toPlainText() for body in bodies)

    @property
    def busy(self) -> bool:
        """Whether the shown conversation answers."""
        return self.window.composer.stop_button.isVisible()

    async def answered(self, words: str) -> None:
        """Waits for an answer with these words, and its end."""
        await until(lambda: self.reads(words))
        await until(lambda: not self.busy)

    async def messages(self) -> list[Message]:
        """What the history has of the shown conversation."""
        shown = self.desk.workspace.overview.shown
        return list((await self.desk.core.channels.conversation(shown)).messages)

    async def card(self) -> PermissionCard:
        """The permission card, once it can be seen."""
        await until(lambda: [c for c in self.desk.view.findChildren(PermissionCard) if c.isVisible()])
        return next(card for card in self.desk.view.findChildren(PermissionCard) if card.isVisible())

    def agent(self, name: str) -> str:
        """How the panel says an agent is."""
        return self.window.sidebar.agents.row(name).accessibleName()


async def morning(day: Day) -> None:
    """The first message, a channel, two agents that compare."""
    day.write("hello")
    await day.answered("echo: hello")
    QTest.keyClick(day.window, Qt.Key.Key_N, CONTROL)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, ChannelDialog)
    QTest.keyClicks(dialog.findChildren(QLineEdit)[0], "plans")
    for box in dialog.findChildren(CheckBox):
        box.setChecked(True)
    next(b for b in dialog.findChildren(QPushButton) if b.text() == "Create channel").click()
    await until(lambda: day.window.windowTitle() == "#plans — Sidekicks")
    day.window.activateWindow()  # what a window manager does after a dialog
    await until(day.window.isActiveWindow)
    day.write("@ada @bob compare your plans !text(my plan)")
    await until(lambda: day.busy)
    await until(lambda: not day.busy)
    answers = [message.agent for message in await day.messages() if message.role == "agent"]
    assert answers == ["ada", "bob"]


async def noon(day: Day) -> None:
    """A question allowed, one rejected, a message that waits, Stop."""
    day.write("@ada !ask(edit, notes.txt)")
    card = await day.card()
    assert "(1) #plans" in day.window.windowTitle()
    QTest.keyClick(day.window.composer.text, Qt.Key.Key_Return)  # an empty message turns to the question
    await until(card.hasFocus)
    QTest.keyClick(card, Qt.Key.Key_Return)
    await until(lambda: not day.busy)
    day.write("@ada !ask(execute, rm notes.txt)")
    card = await day.card()
    QTest.keyClick(day.window.composer.text, Qt.Key.Key_Return)
    await until(card.hasFocus)
    QTest.keyClick(card, Qt.Key.Key_Escape)
    await until(lambda: not day.busy)
    parts = [part for message in await day.messages() for part in message.parts]
    calls = [part for part in parts if isinstance(part, ToolPart)]
    assert [call.output for call in calls] == ["done (yes)", "rejected"]
    day.write("@ada !text(working) !wait(60)")
    await until(lambda: day.reads("working"))
    day.write("and then this")
    await until(lambda: day.window.composer.waiting.texts() == ["and then this"])
    QTest.keyClick(day.window.composer.text, Qt.Key.Key_Escape)
    await until(lambda: not day.busy)
    by_ada = [message for message in await day.messages() if message.agent == "ada"]
    assert by_ada[-1].stop_reason == "cancelled"


async def afternoon(day: Day) -> None:
    """An agent crashes and is started again; something said in the morning is found."""
    day.write("@bob !text(just a moment) !die(3)")
    await until(lambda: day.agent("bob") == "Bob: error")
    await until(lambda: not day.busy)
    await until(lambda: day.reads("just a moment"))
    row = day.window.sidebar.agents.row("bob")
    next(b for b in row.findChildren(QToolButton) if b.accessibleName() == "Start: Bob").click()
    await until(lambda: day.agent("bob") == "Bob: ready")
    day.write("@bob are you well?")
    await day.answered("echo: @bob are you well?")
    QTest.keyClick(day.window, Qt.Key.Key_F, CONTROL | SHIFT)
    [page] = day.window.findChildren(SearchPage)
    QTest.keyClicks(page.field, "compare")
    await until(page.results.count)
    QTest.keyClick(page.field, Qt.Key.Key_Return)
    await until(lambda: day.reads("compare your plans") and not page.isVisible())


async def evening(day: Day, config: Path) -> None:
    """A setting is got wrong and mended; the window speaks French for a while; a draft is left."""
    QTest.keyClick(day.window, Qt.Key.Key_Comma, CONTROL)
    [page] = day.window.findChildren(SettingsPage)
    QTest.keyClick(page.editor, Qt.Key.Key_End, CONTROL)
    QTest.keyClicks(page.editor, "limitz: {maxRunningAgents: 3}")
    await until(page.problems.texts)
    page.problems.fix.click()
    await until(page.save.isEnabled)
    QTest.keyClick(page.editor, Qt.Key.Key_S, CONTROL)
    await until(lambda: "limits: {maxRunningAgents: 3}" in config.read_text())
    await until(lambda: page.state == "Saved")
    for language, word in (("fr", "Enregistré"), ("en", "Saved")):
        page.bar.language_chosen.emit(language)
        await until(lambda word=word: page.state == word)
    QTest.keyClick(page.editor, Qt.Key.Key_Escape)
    QTest.keyClicks(day.window.composer.text, "tomorrow: ")


def test_a_whole_day(drive: Drive[Any], tmp_path: Path) -> None:
    config = configure(tmp_path, entry("ada"), entry("bob"))

    async def main() -> None:
        async with real_desk(config) as desk:
            day = Day(desk)
            await morning(day)
            await noon(day)
            await afternoon(day)
            await evening(day, config)
            said = await day.messages()
        async with real_desk(config) as desk:
            day = Day(desk)
            await until(lambda: day.window.windowTitle() == "#plans — Sidekicks")
            await until(lambda: day.window.composer.text.toPlainText() == "tomorrow: ")
            kept = await day.messages()
            assert [(m.agent, _text(m), m.stop_reason) for m in kept] == [
                (m.agent, _text(m), m.stop_reason) for m in said if m.error != "cancelled"
            ]
            day.window.composer.text.clear()
            day.write("@ada good morning")
            await day.answered("echo: @ada good morning")

    drive(main())


def _text(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))
