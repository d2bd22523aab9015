"""What the quick switcher leads to: conversations, agents, and what can be done from anywhere."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from sidekicks.ui.search.switcher import Destination
from sidekicks.ui.workspace import Workspace

if TYPE_CHECKING:
    from sidekicks.ui.commands import Commands
    from sidekicks.ui.main_window import MainWindow


def destinations(commands: Commands, workspace: Workspace, window: MainWindow) -> list[Destination]:
    """All of them: what has something new, then the conversations as the sidebar has them, then commands."""
    translate = QCoreApplication.translate
    overview = workspace.overview
    found: list[Destination] = []
    for row in window.sidebar.conversations():
        if row.id == overview.shown:
            continue
        if row.kind == "channel":
            detail = translate("Destinations", "channel")
        else:
            detail = row.agent.description if row.agent is not None else ""
        if row.permissions or row.unread:
            detail = translate("Destinations", "something new")
        name = f"#{row.title}" if row.kind == "channel" else row.title
        go = partial(workspace.open_channel, row.id) if row.id else None
        if go is None and row.agent is not None:
            go = partial(workspace.open_direct, row.agent.name)
        if go is not None:
            found.append(Destination(name, detail, go))
    found.sort(key=lambda place: place.detail != translate("Destinations", "something new"))
    command = translate("Destinations", "command")
    for name, go in (
        (translate("Destinations", "New channel…"), commands.new_channel),
        (translate("Destinations", "Find in this conversation"), commands.find),
        (translate("Destinations", "Search everywhere"), commands.search),
        (translate("Destinations", "Settings"), commands.open_settings),
        (translate("Destinations", "Import a conversation…"), commands.import_channel),
        (translate("Destinations", "Keyboard shortcuts"), commands.show_shortcuts),
        (translate("Destinations", "Connect a bigger model"), commands.show_guide),
    ):
        found.append(Destination(name, command, go))
    return found
