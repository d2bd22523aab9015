"""Shows what agents ask the user to fill in or to open, one dialog each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from sidekicks.events import ElicitationRequested, ElicitationResolved, Event
from sidekicks.models import Elicitation, FormValue
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.theme import Theme
from sidekicks.ui.workspace import Workspace

if TYPE_CHECKING:
    from sidekicks.core import Core
    from sidekicks.ui.dialogs.form import FormDialog


class Elicitations(QObject):
    """Opens a dialog for each question, and closes it when it was answered or withdrawn."""

    def __init__(self, core: Core, window: MainWindow, workspace: Workspace, theme: Theme) -> None:
        super().__init__(window)
        self._core = core
        self._window = window
        self._workspace = workspace
        self._theme = theme
        self._open: dict[str, FormDialog] = {}
        workspace.happened.connect(self._follow)

    def set_theme(self, theme: Theme) -> None:
        """Opens dialogs with `theme` from now on."""
        self._theme = theme

    def _follow(self, event: Event) -> None:
        match event:
            case ElicitationRequested():
                self._ask(event)
            case ElicitationResolved() if (dialog := self._open.pop(event.id, None)) is not None:
                dialog.withdraw()
            case _:
                pass

    def _ask(self, request: Elicitation) -> None:
        from sidekicks.ui.dialogs.form import FormDialog

        agent = self._workspace.overview.agent_title(request.agent)
        dialog = FormDialog(agent, request, self._theme, self._window)
        dialog.sent.connect(partial(self._send, request, dialog))
        dialog.declined.connect(partial(self._answer, request, dialog, "decline"))
        dialog.dropped.connect(partial(self._answer, request, dialog, "cancel"))
        self._open[request.id] = dialog
        dialog.open()

    def _send(self, request: Elicitation, dialog: FormDialog, values: dict[str, FormValue]) -> None:
        if request.url:
            QDesktopServices.openUrl(QUrl(request.url))
        self._answer(request, dialog, "accept", values)

    def _answer(
        self,
        request: Elicitation,
        dialog: FormDialog,
        action: Literal["accept", "decline", "cancel"],
        values: dict[str, FormValue] | None = None,
    ) -> None:
        work = partial(self._core.channels.answer_elicitation, request.id, action, values)
        self._workspace.run("answer a question", work, failure=dialog.fail)
