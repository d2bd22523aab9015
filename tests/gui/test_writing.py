"""Writing with a real core: files are named, images and files go along, what waits can be changed or left."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QToolButton

from sidekicks.models import FilePart, ImagePart, TextPart
from sidekicks.ui.composer.files import FileNames, list_files, mention
from sidekicks.ui.conversation.body import Body
from tests.gui.conftest import Drive, until
from tests.gui.real_desk import RealDesk, configure, entry, real_desk

Scenario = Callable[[RealDesk], Coroutine[Any, Any, None]]
Play = Callable[[Scenario], None]


@pytest.fixture
def play(drive: Drive[Any], tmp_path: Path) -> Play:
    """A direct conversation with Ada, who works in a folder with some files."""
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    for name in ("src/parser.py", "src/printer.py", "two words.txt"):
        (work / name).write_text(name)
    config = configure(tmp_path, entry("ada", cwd=str(work)), entry("bob"))

    def run(scenario: Scenario) -> None:
        async def main() -> None:
            async with real_desk(config) as desk:
                await scenario(desk)

        drive(main())

    return run


async def messages(desk: RealDesk) -> list[tuple[object, ...]]:
    conversation = await desk.core.channels.conversation(desk.workspace.overview.shown)
    return [message.parts for message in conversation.messages if message.role == "user"]


async def press(desk: RealDesk, name: str) -> None:
    """Presses a button of the composer once it can be seen."""

    def found() -> list[QToolButton]:
        buttons = desk.window.composer.findChildren(QToolButton)
        return [one for one in buttons if one.accessibleName().startswith(name) and one.isVisible()]

    await until(found)
    found()[0].click()


def test_files_of_the_folder_are_completed(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        composer = desk.window.composer
        QTest.keyClicks(composer.text, "look at @")
        await until(lambda: "@src/" in composer.offered)
        QTest.keyClicks(composer.text, "pars")
        assert composer.offered == ["@src/parser.py"]
        QTest.keyClick(composer.text, Qt.Key.Key_Return)
        QTest.keyClicks(composer.text, "and @two")
        QTest.keyClick(composer.text, Qt.Key.Key_Return)
        assert composer.text.toPlainText() == 'look at @src/parser.py and @"two words.txt" '

    play(scenario)


def test_what_waits_is_listed_and_can_be_changed_or_left(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        composer = desk.window.composer
        for text in ("!text(working) !wait(60)", "second", "third"):
            composer.text.setPlainText(text)
            QTest.keyClick(composer.text, Qt.Key.Key_Return)
        await until(lambda: composer.waiting.texts() == ["second", "third"])
        await press(desk, "Change: second")
        await until(lambda: composer.text.toPlainText() == "second")
        await until(lambda: composer.waiting.texts() == ["third"])
        await press(desk, "Remove: third")
        await until(lambda: composer.waiting.texts() == [])
        assert not composer.waiting.isVisible()
        assert composer.text.toPlainText() == "second"
        QTest.keyClick(composer.text, Qt.Key.Key_Escape)
        await until(lambda: not composer.stop_button.isVisible())

    play(scenario)


def test_a_pasted_image_and_a_file_from_elsewhere_go_with_the_message(play: Play, tmp_path: Path) -> None:
    async def scenario(desk: RealDesk) -> None:
        composer = desk.window.composer
        pasted = QMimeData()
        image = QImage(4, 4, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.red)
        pasted.setImageData(image)
        composer.text.insertFromMimeData(pasted)
        elsewhere = tmp_path / "notes.txt"
        elsewhere.write_text("notes")
        dropped = QMimeData()
        inside = tmp_path / "work" / "two words.txt"
        dropped.setUrls([QUrl.fromLocalFile(str(path)) for path in (elsewhere, inside)])
        composer.text.insertFromMimeData(dropped)
        assert [chip.text() for chip in composer.attachments.chips()] == ["Image 1  ✕", "notes.txt  ✕"]
        assert composer.text.toPlainText() == '@"two words.txt" '
        QTest.keyClicks(composer.text, "what is this?")
        QTest.keyClick(composer.text, Qt.Key.Key_Return)
        assert composer.attachments.parts == ()
        await until(
            lambda: any("what is this?" in body.toPlainText() for body in desk.view.findChildren(Body))
        )
        [parts] = await messages(desk)
        text, picture, file = parts
        assert text == TextPart(text='@"two words.txt" what is this?')
        assert isinstance(picture, ImagePart)
        assert picture.data.startswith(b"\x89PNG")
        assert isinstance(file, FilePart)
        assert file.path == str(elsewhere)

    play(scenario)


def test_a_chip_is_removed_and_what_cannot_be_sent_comes_back(play: Play, tmp_path: Path) -> None:
    async def scenario(desk: RealDesk) -> None:
        composer = desk.window.composer
        composer.attachments.put([FilePart(path=str(tmp_path / "gone.txt")), FilePart(path=str(tmp_path))])
        composer.attachments.chips()[1].click()
        assert [part.path for part in composer.attachments.parts] == [str(tmp_path / "gone.txt")]
        QTest.keyClicks(composer.text, "see")
        QTest.keyClick(composer.text, Qt.Key.Key_Return)
        await until(lambda: "does not exist" in desk.window.failure.text())
        assert composer.text.toPlainText() == "see"
        assert [chip.text() for chip in composer.attachments.chips()] == ["gone.txt  ✕"]

    play(scenario)


def test_chips_take_another_row_where_there_is_no_room_and_delete_removes_one(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        composer = desk.window.composer
        names = [f"{number} {'long ' * 20}.txt" for number in range(8)]
        composer.attachments.put([FilePart(path=f"/nowhere/{name}") for name in names])
        chips = composer.attachments.chips
        await until(lambda: chips()[-1].y() > chips()[0].y())
        field = composer.attachments.rect()
        assert all(field.contains(chip.geometry()) for chip in chips())
        assert "…" in chips()[0].text()
        assert names[0] in chips()[0].toolTip()
        chips()[1].setFocus()
        QTest.keyClick(chips()[1], Qt.Key.Key_Delete)
        assert [
            Path(part.path).name for part in composer.attachments.parts if isinstance(part, FilePart)
        ] == [
            names[0],
            *names[2:],
        ]
        assert chips()[1].hasFocus()

    play(scenario)


def test_what_goes_with_a_draft_is_there_again_after_a_restart(play: Play, tmp_path: Path) -> None:
    image = ImagePart(mime_type="image/png", data=b"\x89PNG of something", name="Image 1")

    async def before(desk: RealDesk) -> None:
        desk.window.composer.attachments.put([image])
        QTest.keyClicks(desk.window.composer.text, "look at")
        other = await desk.core.channels.direct("bob")
        desk.workspace.open_channel(other.id)
        await until(lambda: not desk.window.composer.attachments.parts)

    async def after(desk: RealDesk) -> None:
        channel = await desk.core.channels.direct("ada")
        desk.workspace.open_channel(channel.id)
        await until(lambda: desk.window.composer.attachments.parts == (image,))
        assert desk.window.composer.text.toPlainText() == "look at"
        await desk.core.channels.delete(channel.id)
        await until(lambda: not any(b"something" in path.read_bytes() for path in files(tmp_path)))
        assert not any(b"look at" in path.read_bytes() for path in files(tmp_path) if path.suffix == ".ini")

    play(before)
    play(after)


def test_a_second_window_leaves_the_drafts_of_the_first(play: Play, tmp_path: Path) -> None:
    image = ImagePart(mime_type="image/png", data=b"\x89PNG of something", name="Image 1")

    async def first(desk: RealDesk) -> None:
        ada = await desk.core.channels.direct("ada")
        desk.workspace.open_channel(ada.id)
        await until(lambda: desk.workspace.overview.shown == ada.id)
        desk.window.composer.attachments.put([image])
        QTest.keyClicks(desk.window.composer.text, "half a thought")
        bob = await desk.core.channels.direct("bob")
        desk.workspace.open_channel(bob.id)
        await until(lambda: not desk.window.composer.text.toPlainText())
        desk.front.state.save()
        async with real_desk(tmp_path / "sidekicks.yaml") as second:
            assert second.window.notices.history.text()
            await second.core.channels.direct("bob")
            await until(lambda: len(second.workspace.overview.channels) == 1)
            second.front.state.save()

    async def after(desk: RealDesk) -> None:
        assert desk.window.windowTitle() == "Bob — Sidekicks"
        ada = await desk.core.channels.direct("ada")
        desk.workspace.open_channel(ada.id)
        await until(lambda: desk.window.composer.attachments.parts == (image,))
        assert desk.window.composer.text.toPlainText() == "half a thought"

    play(first)
    play(after)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_goes_with_a_message_goes_along_when_it_is_sent_again(play: Play, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("notes")

    async def scenario(desk: RealDesk) -> None:
        composer = desk.window.composer
        composer.attachments.put([FilePart(path=str(tmp_path / "notes.txt"))])
        QTest.keyClicks(composer.text, "!die(1)")
        QTest.keyClick(composer.text, Qt.Key.Key_Return)
        await until(lambda: [b for b in desk.view.findChildren(QAbstractButton) if b.text() == "Retry"])
        next(b for b in desk.view.findChildren(QAbstractButton) if b.text() == "Retry").click()
        shown = desk.workspace.overview.shown
        while len(sent := await messages(desk)) < 2:  # noqa: ASYNC110  the history says nothing of it
            await asyncio.sleep(0)
        assert sent[0] == sent[1]
        assert isinstance(sent[1][1], FilePart)
        await until(lambda: not desk.workspace.overview.activity(shown).busy)

    play(scenario)


def test_what_git_ignores_is_not_offered(tmp_path: Path) -> None:
    for name in (".gitignore", "a.py", "b.log", "sub/c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("*.log\n")
    assert "b.log" in list_files(str(tmp_path)).matching("", 50)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert list_files(str(tmp_path)).matching("", 50) == [".gitignore", "a.py", "sub/", "sub/c.py"]


def test_a_folder_can_start_no_program_by_being_listed(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.py").touch()
    spy = tmp_path / "spy.sh"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path / 'started'}\n")
    spy.chmod(0o755)
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    subprocess.run(["git", "-C", str(work), "config", "core.fsmonitor", str(spy)], check=True)
    assert list_files(str(work)).matching("a.py", 5) == ["a.py"]
    assert not (tmp_path / "started").exists()


def test_the_file_that_is_meant_comes_first() -> None:
    names = FileNames(["docs/parser.md", "src/", "src/parser.py", "src/sparse.c", "tests/test_parser.py"])
    assert names.matching("pars", 2) == ["src/parser.py", "docs/parser.md"]
    assert names.matching("pars", 9)[2:] == ["src/sparse.c", "tests/test_parser.py"]
    assert names.matching("tpr", 9) == ["tests/test_parser.py"]
    assert names.matching("nothing", 9) == []
    assert mention("a b.txt") == '@"a b.txt"'


def test_a_composer_that_is_switched_off_says_why(drive: Drive[Any], tmp_path: Path) -> None:
    async def main() -> None:
        async with real_desk(configure(tmp_path)) as desk:
            await until(lambda: not desk.window.composer.isEnabled())
            assert "add an agent" in desk.window.composer.text.placeholderText()

    drive(main())
