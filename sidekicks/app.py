"""Wiring of the window: the only place that builds the core, the window and what connects them."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sidekicks.config.locate import data_folder, user_folder
from sidekicks.events import ConfigChanged, Event
from sidekicks.tasks import Tasks
from sidekicks.ui import loop
from sidekicks.ui.appearance import Appearance
from sidekicks.ui.crashes import CrashReports, start_again
from sidekicks.ui.icons import app_icon
from sidekicks.ui.log_file import log_file
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.shutdown import Shutdown
from sidekicks.ui.translate import Translations
from sidekicks.ui.window_state import WindowState

if TYPE_CHECKING:
    from sidekicks.core import Core
    from sidekicks.ui.actions import Actions
    from sidekicks.ui.announcing import Tray
    from sidekicks.ui.conversation.view import ConversationView
    from sidekicks.ui.workspace import Workspace

FIRST_PAINT_SECONDS = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Front:
    """What there is before the core: the window and how it looks."""

    window: MainWindow
    state: WindowState
    appearance: Appearance
    translations: Translations


def run(config: str | None = None, data_dir: str | None = None) -> int:
    """Opens the window and returns the exit code once it is closed and everything has ended.

    `config` is a configuration file and `data_dir` the place of the histories; None means the usual ones.
    """
    return loop.run(partial(_main, config, data_dir))


async def _main(config: str | None, data_dir: str | None, shutdown: Shutdown) -> None:
    folder = data_folder(data_dir or "", os.environ) or user_folder()
    front = make_front(folder)

    def open_it() -> AbstractAsyncContextManager[Core]:
        from sidekicks.core import open_core

        return open_core(config, data_dir=data_dir)

    with log_file(folder) as path:
        crashes = CrashReports(front.window, front.appearance, path, shutdown)
        try:
            await present(front, open_it, shutdown)
        finally:
            crashes.close()
    if shutdown.again:
        start_again()


async def present(
    front: Front, open_it: Callable[[], AbstractAsyncContextManager[Core]], shutdown: Shutdown
) -> None:
    """Shows the window, opens the core, and returns once the shutdown was asked for and both have ended.

    When the core can't be opened, the window says why until it is closed; then its error is raised.
    """
    window = front.window
    window.closing.connect(shutdown.request)
    window.show()
    # The first paint comes before everything that it does not need.
    with suppress(TimeoutError):
        await asyncio.wait_for(window.painted(), FIRST_PAINT_SECONDS)
    try:
        await _work(front, open_it, shutdown)
    except Exception as error:
        log.exception("the core could not be opened")
        window.show_start_failure(str(error))
        await shutdown.wait()
        raise
    finally:
        close_front(front)


def make_front(folder: Path) -> Front:
    """The window as it was left, not shown yet; `folder` keeps what it looks like."""
    state = WindowState(folder)
    translations = Translations()
    translations.use("system")
    appearance = Appearance(zoom=state.zoom)
    window = MainWindow(appearance.theme, state)
    window.setWindowTitle("Sidekicks")
    window.setWindowIcon(app_icon())
    appearance.changed.connect(window.set_theme)
    window.zoom_wanted.connect(appearance.zoom_by)
    return Front(window, state, appearance, translations)


def close_front(front: Front) -> None:
    """Keeps what the window looks like, and takes it away."""
    front.state.zoom = front.appearance.theme.zoom
    front.window.save()
    front.window.hide()
    front.window.deleteLater()
    front.translations.remove()


async def _work(
    front: Front, open_it: Callable[[], AbstractAsyncContextManager[Core]], shutdown: Shutdown
) -> None:
    from sidekicks.ui.actions import Actions
    from sidekicks.ui.conversation.view import ConversationView

    async with open_it() as core:
        tasks = Tasks()
        view = ConversationView(front.appearance.theme, front.window)
        workspace = connect(core, front, view, Actions(tasks, core.refusals))
        tray = announce(front.window, workspace)
        # What there is now stays: it need not be looked through for garbage.
        gc.freeze()
        gc.enable()
        await shutdown.wait()
        workspace.close()
        if tray is not None:
            tray.close()
        front.window.save()
        front.window.hide()
        await tasks.close()


def announce(window: MainWindow, workspace: Workspace) -> Tray | None:
    """Lets the user know what happens while they look elsewhere; the tray's icon, where there is a tray."""
    from PySide6.QtWidgets import QApplication, QSystemTrayIcon

    from sidekicks.ui.announcing import Announcing, Tray

    if not QSystemTrayIcon.isSystemTrayAvailable():
        Announcing(window, workspace, lambda title, text: QApplication.alert(window))
        return None
    tray = Tray(window)
    tray.connect_lead(Announcing(window, workspace, tray.tell).lead)
    return tray


def connect(core: Core, front: Front, view: ConversationView, actions: Actions) -> Workspace:
    """Fills the window from the core and lets them hear of each other."""
    from sidekicks.ui.agent_commands import AgentCommands
    from sidekicks.ui.commands import Commands
    from sidekicks.ui.elicitations import Elicitations
    from sidekicks.ui.shortcuts import Shortcuts
    from sidekicks.ui.workspace import Workspace
    from sidekicks.ui.writing import Writing

    window, appearance = front.window, front.appearance
    current = core.config.current()
    appearance.choose(current.theme)
    front.translations.use(current.language)
    window.add_view(view)
    view.set_theme(appearance.theme)
    workspace = Workspace(core, window, view, actions, front.state, appearance.theme)
    commands = Commands(core, window, workspace, front.state, appearance.theme)
    Writing(core, window, workspace, front.state)
    elicitations = Elicitations(core, window, workspace, appearance.theme)
    agent_commands = AgentCommands(core, window, workspace, appearance.theme)
    Shortcuts(window, workspace, commands, appearance)
    view.link_activated.connect(commands.open_link)
    view.logs_requested.connect(commands.show_logs)
    view.settings_requested.connect(commands.open_settings_of)
    view.picture_requested.connect(commands.show_picture)
    appearance.changed.connect(workspace.set_theme)
    appearance.changed.connect(commands.set_theme)
    appearance.changed.connect(elicitations.set_theme)
    appearance.changed.connect(agent_commands.set_theme)
    workspace.happened.connect(partial(_follow, core, front, workspace))
    workspace.begin(commands.empty_texts)
    return workspace


def _follow(core: Core, front: Front, workspace: Workspace, event: Event) -> None:
    if not isinstance(event, ConfigChanged):
        return
    current = core.config.current()
    front.appearance.choose(current.theme)
    if front.translations.use(current.language):
        workspace.retranslate()
