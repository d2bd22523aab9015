"""The agents panel: states in words, buttons that fit the state, what is wrong in one line."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from sidekicks.models import AgentStatus
from sidekicks.ui.agents.dock import MAX_LINES, AgentDock
from sidekicks.ui.agents.panel import AgentsPanel
from sidekicks.ui.theme import Theme

MM = AgentStatus(name="mm", title="Mini Me", icon="🤖", description="Bundled", state="stopped")


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme) -> AgentsPanel:
    panel = AgentsPanel(theme)
    qtbot.addWidget(panel)
    panel.show_agents([MM])
    panel.show()
    return panel


def become(panel: AgentsPanel, **fields: object) -> None:
    panel.show_agents([msgspec.structs.replace(MM, **fields)])


def words(panel: AgentsPanel) -> list[str]:
    return [label.text() for label in panel.row("mm").findChildren(QLabel) if label.isVisible()]


def button(panel: AgentsPanel, name: str) -> QToolButton:
    found = [b for b in panel.row("mm").findChildren(QToolButton) if b.accessibleName() == f"{name}: Mini Me"]
    assert len(found) == 1
    return found[0]


def test_other_agents_are_seen_at_once(panel: AgentsPanel) -> None:
    one_row = panel.sizeHint().height()
    other = msgspec.structs.replace(MM, name="echo", title="Echo")
    panel.show_agents([other, MM])
    assert panel.row("echo").height() <= panel.sizeHint().height() - panel.row("mm").height()
    assert panel.sizeHint().height() > one_row


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ("stopped", "stopped"),
        ("starting", "starting…"),
        ("ready", "ready"),
        ("busy", "busy"),
        ("error", "error"),
    ],
)
def test_each_state_has_its_word(panel: AgentsPanel, state: str, word: str) -> None:
    become(panel, state=state)
    assert word in words(panel)
    assert panel.row("mm").accessibleName() == f"Mini Me: {word}"


def test_the_buttons_ask_for_what_they_show(panel: AgentsPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.start_requested) as started:
        qtbot.mouseClick(button(panel, "Start"), Qt.MouseButton.LeftButton)
    become(panel, state="ready")
    with qtbot.waitSignal(panel.stop_requested) as stopped:
        qtbot.mouseClick(button(panel, "Stop"), Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(panel.restart_requested) as restarted:
        qtbot.mouseClick(button(panel, "Restart"), Qt.MouseButton.LeftButton)
    assert started.args == stopped.args == restarted.args == ["mm"]


def test_an_error_is_said_in_one_line_and_whole_in_the_tooltip(panel: AgentsPanel) -> None:
    become(panel, state="error", error="exit 1: no key\nstderr line")
    assert "exit 1: no key" in words(panel)
    tips = [label.toolTip() for label in panel.row("mm").findChildren(QLabel)]
    assert "exit 1: no key\nstderr line" in tips


def test_a_changed_definition_asks_for_a_restart(panel: AgentsPanel) -> None:
    become(panel, state="busy", outdated=True)
    assert "restart to apply changes" in words(panel)
    assert button(panel, "Restart").isVisible()


def test_the_rows_follow_the_configuration(panel: AgentsPanel) -> None:
    other = msgspec.structs.replace(MM, name="codex", title="Codex")
    panel.show_agents([other, MM])
    assert panel.row("codex").y() < panel.row("mm").y() or not panel.row("codex").isVisible()
    panel.show_agents([])
    assert not panel.isVisible()


def test_logs_follow_live_and_can_be_copied(qtbot: QtBot, theme: Theme) -> None:
    dock = AgentDock(theme)
    qtbot.addWidget(dock)
    dock.show_agent("mm", "Mini Me", ["one"], None)
    dock.add("two")
    copy = next(b for b in dock.findChildren(QPushButton) if b.text() == "Copy all")
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "one\ntwo"
    for number in range(MAX_LINES):
        dock.add(str(number))
    assert dock.log.toPlainText().splitlines()[0] == "0"
