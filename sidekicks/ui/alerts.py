"""What must not be overlooked: pending permissions, a broken configuration, a history that is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from sidekicks.models import PermissionRequest
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.overview import Overview

if TYPE_CHECKING:
    from sidekicks.config.service import Current


class Alerts(QObject):
    """Says it in the window's title and in the bars at the top."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._count = 0

    def show_config(self, current: Current, *, has_agents: bool) -> None:
        """Shows what is wrong with the configuration file and the history.

        `has_agents`: a valid configuration is in force; there are none when the file was broken at the start.
        """
        notices = self._window.notices
        notices.history.say(current.history_problem, dismissable=True)
        problems = [*current.problems, *current.warnings]
        if not problems:
            notices.config.say("")
            return
        first = problems[0]
        if current.valid:
            text = self.tr("Configuration, line {line}: {problem}")
        elif has_agents:
            text = self.tr(
                "The configuration has problems (line {line}: {problem}). The last valid one stays in force."
            )
        else:
            text = self.tr("The configuration has problems (line {line}: {problem}).")
        notices.config.say(
            text.format(line=first.line, problem=first.message),
            self.tr("Open settings"),
            detail="\n".join(f"{p.line}:{p.column}: {p.message}" for p in problems),
            dismissable=current.valid,
        )

    def show_title(self, overview: Overview) -> None:
        """Names the conversation in the window's title, after the number of permissions that wait."""
        count = len(overview.pending())
        title = "Sidekicks"
        if channel := overview.channels.get(overview.shown):
            title = f"{overview.title(channel)} — {title}"
        self._window.setWindowTitle(f"({count}) {title}" if count else title)
        if count > self._count and not self._window.isActiveWindow():
            QApplication.alert(self._window)
        self._count = count

    def show_hidden(self, overview: Overview, hidden: Sequence[PermissionRequest]) -> None:
        """Names the first of the permissions that wait out of view."""
        if not hidden:
            self._window.notices.permission.say("")
            return
        first = hidden[0]
        text = self.tr("{agent} asks for permission in {channel}: {what}").format(
            agent=overview.agent_title(first.agent),
            channel=overview.title(overview.channels[first.channel]),
            what=first.tool_call.title,
        )
        if len(hidden) > 1:
            text += " " + self.tr("(and %n more)", "", len(hidden) - 1)
        self._window.notices.permission.say(text, self.tr("Show"))
