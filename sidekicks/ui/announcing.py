"""Tells a user who looks elsewhere what needs them, or is done: a desktop notification, and the tray."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from sidekicks.events import ElicitationRequested, Event, MessageUpdated, PermissionRequested
from sidekicks.models import Message, TextPart
from sidekicks.ui.icons import app_icon
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.reveal import reveal
from sidekicks.ui.workspace import Workspace

LONGEST = 160
"""Characters of an answer that are told."""

Tell = Callable[[str, str], None]
"""Shows a notification: its title, and its text."""


class Announcing(QObject):
    """While the window is not the active one, each permission request and finished answer is told.

    `lead` leads to what was told last.
    """

    def __init__(self, window: MainWindow, workspace: Workspace, tell: Tell) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._tell = tell
        self._told_of = ""
        workspace.happened.connect(self._follow)

    def lead(self) -> None:
        """Brings the window to the front, with the conversation that was told of."""
        self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowMinimized)
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()
        if self._told_of in self._workspace.overview.channels:
            self._workspace.open_channel(self._told_of)
        self._told_of = ""

    def _follow(self, event: Event) -> None:
        if self._window.isActiveWindow():
            return
        overview = self._workspace.overview
        match event:
            case PermissionRequested() | ElicitationRequested() if event.channel in overview.channels:
                who = overview.agent_title(event.agent)
                what = event.tool_call.title if isinstance(event, PermissionRequested) else event.message
                self._announce(event.channel, self.tr("{agent} asks you").format(agent=who), what)
            case MessageUpdated(message=message) if _is_finished(message):
                who = overview.agent_title(message.agent)
                title = (
                    self.tr("{agent} could not finish") if message.error else self.tr("{agent} has answered")
                )
                self._announce(event.channel, title.format(agent=who), message.error or _words(message))
            case _:
                pass

    def _announce(self, channel: str, title: str, text: str) -> None:
        overview = self._workspace.overview
        if (found := overview.channels.get(channel)) is None:
            return
        self._told_of = channel
        said = reveal(" ".join(text.split()))
        short = said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"
        self._tell(f"{title} · {overview.title(found)}", short)


class Tray(QObject):
    """The icon in the desktop's tray, where there is one: shows the window, quits, carries notifications."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._icon = QSystemTrayIcon(app_icon(), self)
        self._menu = QMenu()
        self._show = QAction(self)
        self._quit = QAction(self)
        self._menu.addAction(self._show)
        self._menu.addAction(self._quit)
        self._quit.triggered.connect(window.close)
        self._icon.setContextMenu(self._menu)
        window.windowTitleChanged.connect(self._icon.setToolTip)
        self._retranslate()
        self._menu.aboutToShow.connect(self._retranslate)
        self._icon.show()

    def connect_lead(self, lead: Callable[[], None]) -> None:
        """`lead` is called when the icon, its first entry or a notification is clicked."""
        self._show.triggered.connect(lead)
        self._icon.activated.connect(lead)
        self._icon.messageClicked.connect(lead)

    def tell(self, title: str, text: str) -> None:
        """Shows a notification."""
        self._icon.showMessage(title, text, app_icon())

    def close(self) -> None:
        """Takes the icon away."""
        self._icon.hide()
        self._menu.deleteLater()

    def _retranslate(self) -> None:
        self._show.setText(self.tr("Show Sidekicks"))
        self._quit.setText(self.tr("Quit"))


def _is_finished(message: Message) -> bool:
    return message.role == "agent" and message.done and message.stop_reason != "cancelled"


def _words(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))
