"""What a screen reader is told, over every page of the window: names, roles, and the way of the Tab key."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.gui.conftest import Drive, until
from tests.gui.real_desk import RealDesk, configure, entry, real_desk

Scenario = Callable[[RealDesk], Coroutine[Any, Any, None]]
Play = Callable[[Scenario], None]
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ROLES = {
    QAccessible.Role.Button,
    QAccessible.Role.ButtonMenu,
    QAccessible.Role.CheckBox,
    QAccessible.Role.EditableText,
    QAccessible.Role.List,
    QAccessible.Role.PageTab,
}
"""What can be used must be named; what only holds other things need not be."""


@pytest.fixture
def play(drive: Drive[Any], tmp_path: Path) -> Play:
    config = configure(tmp_path, entry("ada"), entry("bob"))

    def run(scenario: Scenario) -> None:
        async def main() -> None:
            async with real_desk(config) as desk:
                await scenario(desk)

        drive(main())

    return run


def widgets(root: QWidget) -> Iterator[QWidget]:
    """Everything that can be seen and used."""
    for widget in root.findChildren(QWidget):
        if widget.isVisible() and widget.isEnabled() and not widget.objectName().startswith("qt_"):
            yield widget


def unnamed(root: QWidget) -> list[str]:
    """What a screen reader could only call by its role."""
    found: list[str] = []
    for widget in widgets(root):
        if widget.focusPolicy() == Qt.FocusPolicy.NoFocus:
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        if interface.role() in ROLES and not interface.text(QAccessible.Text.Name).strip():
            found.append(f"{type(widget).__name__} in {type(widget.parent()).__name__}")
    return found


async def shows_everything(desk: RealDesk) -> None:
    """A conversation with a tool, a plan, code and a question."""
    channel = desk.workspace.overview.shown
    said = "!thought(well) !tool(read, notes) !plan !text([a link](https://example.org)) !ask(edit, notes)"
    await desk.core.channels.send(channel, said)
    await until(desk.workspace.overview.pending)


def test_everything_that_can_be_used_has_a_name(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        await shows_everything(desk)
        await until(desk.view.visible_permissions)
        assert unnamed(desk.window) == []
        QTest.keyClick(desk.window, Qt.Key.Key_F, CONTROL)
        assert unnamed(desk.window) == []
        QTest.keyClick(desk.window, Qt.Key.Key_Comma, CONTROL)
        assert unnamed(desk.window) == []
        QTest.keyClick(desk.window, Qt.Key.Key_F, CONTROL | SHIFT)
        assert unnamed(desk.window) == []

    play(scenario)


def test_what_happens_is_told_by_the_interfaces_of_the_parts(play: Play) -> None:
    async def scenario(desk: RealDesk) -> None:
        await shows_everything(desk)
        await until(desk.view.visible_permissions)
        names = [
            QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
            for widget in widgets(desk.window)
        ]
        assert "Ada wants to edit notes" in names
        assert any("Ada" in name and "busy" in name for name in names)
        assert "Message" in names

    play(scenario)


@pytest.mark.parametrize("key", ["conversation", "settings", "search"])
def test_tab_goes_through_a_page_and_comes_back(play: Play, key: str) -> None:
    async def scenario(desk: RealDesk) -> None:
        await shows_everything(desk)
        if key == "settings":
            QTest.keyClick(desk.window, Qt.Key.Key_Comma, CONTROL)
            # In the editor Tab indents; one leaves it with Ctrl+Tab or by the mouse.
            desk.window.sidebar.search_field.setFocus()
        elif key == "search":
            QTest.keyClick(desk.window, Qt.Key.Key_F, CONTROL | SHIFT)
        desk.window.activateWindow()
        await until(desk.window.isActiveWindow)
        first = desk.window.focusWidget()
        seen: list[QWidget] = []
        for _ in range(80):
            focus = desk.window.focusWidget()
            assert focus is not None
            assert focus.isVisible()
            if seen and focus is first:
                break
            seen.append(focus)
            if "Editor" in type(focus).__name__:
                focus.focusNextPrevChild(True)
                if desk.window.focusWidget() is focus:
                    return  # an editor of text keeps the key, as its help says
            else:
                QTest.keyClick(focus, Qt.Key.Key_Tab)
        assert desk.window.focusWidget() is first
        assert len(seen) > 5

    play(scenario)
