"""What the user does with one agent: options, sessions, signing in."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from sidekicks.models import LoginMethod, StoredSession
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.terminal import Command, in_terminal, start_detached
from sidekicks.ui.theme import Theme
from sidekicks.ui.workspace import Workspace

if TYPE_CHECKING:
    from sidekicks.core import Core
    from sidekicks.ui.dialogs.login import LoginDialog
    from sidekicks.ui.dialogs.sessions import SessionsDialog


class AgentCommands(QObject):
    """Carries them out; dialogs are imported when one opens."""

    def __init__(self, core: Core, window: MainWindow, workspace: Workspace, theme: Theme) -> None:
        super().__init__(window)
        self._core = core
        self._window = window
        self._workspace = workspace
        self._theme = theme
        self._signing_in: asyncio.Task[None] | None = None
        window.header.option_chosen.connect(self._set_option)
        window.header.sessions_requested.connect(self.show_sessions)
        window.sidebar.agents.login_requested.connect(self.sign_in)

    def set_theme(self, theme: Theme) -> None:
        """Opens dialogs with `theme` from now on."""
        self._theme = theme

    def _set_option(self, agent: str, option: str, value: str | bool) -> None:
        if (channel := self._workspace.shown) is not None:
            work = partial(self._core.channels.set_option, channel.id, agent, option, value)
            self._workspace.run("set option", work)

    # -- sessions ------------------------------------------------------------------------------------

    def show_sessions(self, agent: str) -> None:
        """Lists the sessions that an agent keeps for the conversation's folder."""
        from sidekicks.ui.dialogs.sessions import SessionsDialog

        if (channel := self._workspace.shown) is None:
            return
        dialog = SessionsDialog(self._workspace.overview.agent_title(agent), self._theme, self._window)
        dialog.chosen.connect(partial(self._take_up, dialog, channel.id, agent))
        dialog.more_wanted.connect(partial(self._load_sessions, dialog, agent, channel.cwd))
        self._load_sessions(dialog, agent, channel.cwd)
        dialog.open()

    def _load_sessions(self, dialog: SessionsDialog, agent: str, cwd: str) -> None:
        def listed(page: tuple[tuple[StoredSession, ...], str]) -> None:
            sessions, following = page
            dialog.add(sessions, more=bool(following))
            dialog.following = following

        work = partial(self._core.channels.stored_sessions, agent, cwd, dialog.following)
        self._workspace.run("list sessions", work, listed, dialog.fail)

    def _take_up(self, dialog: SessionsDialog, channel: str, agent: str, session: str) -> None:
        def taken(_result: None) -> None:
            dialog.accept()
            self._workspace.open_channel(channel)

        work = partial(self._core.channels.take_up, channel, agent, session)
        self._workspace.run("take a session up", work, taken, dialog.fail)

    # -- signing in ----------------------------------------------------------------------------------

    def sign_in(self, agent: str) -> None:
        """Offers the ways to sign in to an agent that needs it."""
        from sidekicks.ui.dialogs.login import LoginDialog

        status = self._workspace.overview.agents.get(agent)
        if status is None or not status.logins:
            return
        dialog = LoginDialog(status.title, status.logins, self._theme, self._window)
        dialog.chosen.connect(partial(self._sign_in_by, dialog, agent))
        dialog.ran.connect(partial(self._signed_in, dialog, agent))
        dialog.rejected.connect(self._call_off)
        dialog.open()

    def _sign_in_by(self, dialog: LoginDialog, agent: str, method: LoginMethod) -> None:
        if method.terminal:

            async def command() -> Command:
                found = await self._core.agents.login_command(agent, method.id)
                return Command(found.argv, found.cwd, found.env)

            self._workspace.run("sign in", command, partial(self._show_command, dialog), dialog.fail)
            return
        dialog.wait()
        login = partial(self._core.agents.login, agent, method.id)
        self._signing_in = self._workspace.run("sign in", login, lambda _: dialog.accept(), dialog.fail)

    def _show_command(self, dialog: LoginDialog, command: Command) -> None:
        opening = in_terminal(command.argv, command.cwd)

        def open_it() -> None:
            if not start_detached(Command(opening, command.cwd, command.env)):
                dialog.fail(self.tr("The terminal could not be opened."))

        dialog.terminal_wanted.connect(open_it)
        dialog.show_command(command.argv, can_open=bool(opening))

    def _signed_in(self, dialog: LoginDialog, agent: str) -> None:
        logged_in = partial(self._core.agents.logged_in, agent)
        self._workspace.run("signed in", logged_in, lambda _: dialog.accept(), dialog.fail)

    def _call_off(self) -> None:
        if self._signing_in is not None:
            self._signing_in.cancel()
            self._signing_in = None
