"""Connects the settings page with the core: the file is read, checked, saved, another one opened."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from sidekicks.events import ConfigChanged, Event, RulesChanged
from sidekicks.files import write_whole
from sidekicks.models import Problem, ToolKind
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.settings.page import SettingsPage
from sidekicks.ui.theme import Theme
from sidekicks.ui.window_state import WindowState
from sidekicks.ui.workspace import Workspace

if TYPE_CHECKING:
    from sidekicks.core import Core

KEPT = "~"
"""What is added to the file's name for another's version of it that was not taken."""


class Settings(QObject):
    """Made when the settings are opened first. What is not saved is kept, also beyond the window's end."""

    def __init__(
        self, core: Core, window: MainWindow, workspace: Workspace, state: WindowState, theme: Theme
    ) -> None:
        super().__init__(window)
        self._core = core
        self._window = window
        self._workspace = workspace
        self._state = state
        self._theme = theme
        self._path = ""
        self.page = SettingsPage(
            theme, json.loads(core.config.schema()), workspace.overview.agent_title, window.sides
        )
        window.add_side(self.page)
        self.page.left.connect(self._leave)
        self.page.changed.connect(self._check)
        self.page.save_wanted.connect(self._save)
        self.page.refused.connect(self._keep_beside)
        self.page.answers.revoked.connect(self._forget)
        self.page.bar.open_wanted.connect(self._choose_file)
        self.page.bar.recent_wanted.connect(self._open_file)
        self.page.bar.zoom_chosen.connect(window.zoom_wanted)
        self.page.bar.editor_wanted.connect(self._open_editor)
        workspace.happened.connect(self._follow)
        self._read()

    def show(self, agent: str = "") -> None:
        """Shows the page, at an agent's entry where one is named."""
        self._window.show_side(self.page)
        if agent and (place := self._core.config.agent_place(self.page.text, agent)) is not None:
            self.page.lead_to(*place)
        self.page.editor.setFocus()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.page.set_theme(theme)

    def _leave(self) -> None:
        self._window.show_conversation()

    def _read(self) -> None:
        config = self._core.config
        current = config.current()
        if current.path != self._path:
            if self._path:
                self._state.set_unsaved(self._path, "", "")  # it was agreed to lose it
            self._path = current.path
            self._begin(config.content())
        else:
            self.page.file_changed(config.content())
        self.page.bar.show_file(current.path, config.recent(), config.known_agents())
        self.page.answers.show_rules(self._core.channels.rules())

    def _begin(self, content: str) -> None:
        """Shows the file, and what was written at another time and not saved."""
        if (unsaved := self._state.unsaved(self._path)) is None:
            self.page.show_file(content)
            return
        base, text = unsaved
        self.page.show_file(base)
        self.page.editor.show_text(text)
        self.page.file_changed(content)
        self._check(self.page.text)

    def _follow(self, event: Event) -> None:
        match event:
            case ConfigChanged():
                self._read()
            case RulesChanged():
                self.page.answers.show_rules(event.rules)
            case _:
                pass

    def _check(self, text: str) -> None:
        self._state.set_unsaved(self._path, self.page.saved, text)
        self._window.sidebar.mark_settings(unsaved=self.page.is_dirty)

        # A text of some size takes longer than a frame.
        async def check() -> tuple[Problem, ...]:
            return await asyncio.to_thread(self._core.config.validate, text)

        self._workspace.run("check configuration", check, partial(self.page.show_problems, text))

    def _save(self, text: str) -> None:
        config = self._core.config
        there = config.content()
        self.page.file_changed(there)
        if self.page.theirs is not None:
            return

        def saved(problems: Sequence[Problem]) -> None:
            if problems:
                self.page.refuse(problems)
            else:
                self.page.file_changed(config.content())

        self._workspace.run("save configuration", partial(config.save, text), saved)

    def _keep_beside(self, text: str) -> None:
        path = Path(self._path)

        async def keep() -> None:
            await asyncio.to_thread(write_whole, path.with_name(path.name + KEPT), text.encode())

        self._workspace.run("keep the other version", keep)

    def _forget(self, agent: str, kind: ToolKind) -> None:
        self._workspace.run("forget answer", partial(self._core.channels.forget_rule, agent, kind))

    def _choose_file(self) -> None:
        dialog = QFileDialog(self._window, self.tr("Open a configuration file"), str(Path(self._path).parent))
        dialog.setNameFilters([self.tr("Configuration files (*.yaml *.yml)"), self.tr("All files (*)")])
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._open_file)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _open_file(self, path: str) -> None:
        """Opens another file; asks first where that would lose what was written here."""
        take = partial(self._workspace.run, "open configuration", partial(self._core.open, path))
        if not self.page.is_dirty:
            take()
            return
        from sidekicks.ui.dialogs.confirm import ConfirmDialog

        dialog = ConfirmDialog(
            self.tr("Open another file without saving?"),
            self.tr("What you changed in this file and did not save is lost:"),
            self.tr("Open without saving"),
            self._theme,
            self._window,
            detail=self._path,
            danger=True,
        )
        dialog.accepted.connect(take)
        dialog.open()

    def _open_editor(self) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(self._path)):
            text = self.tr("No program for this file was found; edit {path} with any editor.")
            self._window.show_failure(text.format(path=self._path))
