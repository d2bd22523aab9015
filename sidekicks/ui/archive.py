"""Conversations as files: exported to read or to keep, imported again."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from sidekicks.models import Channel
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.workspace import Workspace

if TYPE_CHECKING:
    from sidekicks.core import Core

_UNFIT = re.compile(r"[^\w.-]+")


class Archive(QObject):
    """Asks for a file, and writes or reads it."""

    def __init__(self, core: Core, window: MainWindow, workspace: Workspace) -> None:
        super().__init__(window)
        self._core = core
        self._window = window
        self._workspace = workspace

    def export(self, form: Literal["markdown", "json"]) -> None:
        """Asks where the shown conversation is to be written."""
        if (channel := self._workspace.shown) is None:
            return
        suffix = "md" if form == "markdown" else "json"
        name = _UNFIT.sub("-", self._workspace.overview.title(channel)).strip("-") or "conversation"
        dialog = self._dialog(self.tr("Export the conversation"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.selectFile(f"{name}.{suffix}")
        dialog.fileSelected.connect(partial(self.write, channel.id, form))
        dialog.open()

    def write(self, channel: str, form: Literal["markdown", "json"], path: str) -> None:
        """Writes a conversation into a file."""
        self._workspace.run("export", partial(self._core.channels.export, channel, path, form))

    def import_channel(self) -> None:
        """Asks for a file that was exported as JSON."""
        dialog = self._dialog(self.tr("Import a conversation"))
        dialog.setNameFilters([self.tr("Exported conversations (*.json)"), self.tr("All files (*)")])
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.read)
        dialog.open()

    def read(self, path: str) -> None:
        """Makes a channel of an exported conversation, and shows it."""

        def made(channel: Channel) -> None:
            self._workspace.open_new(channel)

        self._workspace.run("import", partial(self._core.channels.import_file, path), made)

    def _dialog(self, title: str) -> QFileDialog:
        dialog = QFileDialog(self._window, title, str(Path.home()))
        dialog.finished.connect(dialog.deleteLater)
        return dialog
