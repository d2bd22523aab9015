"""A window over a core in memory, and a view that keeps what it was told."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea

from sidekicks import app, events
from sidekicks.models import Conversation, Page
from sidekicks.tasks import Tasks
from sidekicks.ui.actions import Actions
from tests.gui.conftest import until
from tests.gui.stand_in import StandInCore


class RecordingView(QScrollArea):
    """Stands where the conversation view is, and keeps what it was told."""

    need_older = Signal(str)
    link_activated = Signal(str)
    permission_answered = Signal(str, str)
    retry_requested = Signal(str, str)
    logs_requested = Signal(str)
    picture_requested = Signal(object)
    settings_requested = Signal(str)
    quote_requested = Signal(str)
    visible_permissions_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.unread = 0
        self.conversation: Conversation | None = None
        self.applied: list[events.Event] = []
        self.pages: list[Page] = []
        self.visible: frozenset[str] = frozenset()

    def show_conversation(self, conversation: Conversation, agents: object, unread: int = 0) -> None:
        self.unread = unread
        self.conversation = conversation
        self.applied = []

    def apply(self, event: events.Event) -> None:
        self.applied.append(event)

    def prepend(self, page: Page) -> None:
        self.pages.append(page)

    def set_theme(self, theme: object) -> None:
        pass

    def set_agents(self, agents: object) -> None:
        pass

    def visible_permissions(self) -> frozenset[str]:
        return self.visible

    def show_permission(self, request_id: str) -> None:
        self.visible |= {request_id}
        self.visible_permissions_changed.emit()

    def scroll_to_bottom(self) -> None:
        pass

    @property
    def shown(self) -> str:
        return self.conversation.channel.id if self.conversation else ""


class Desk:
    """A window over a core in memory."""

    def __init__(self, core: StandInCore, folder: Path) -> None:
        self.core = core
        self.front = app.make_front(folder)
        self.window = self.front.window
        self.view = RecordingView()
        self.tasks = Tasks()
        self.workspace = app.connect(core, self.front, self.view, Actions(self.tasks, core.refusals))
        self.window.show()

    async def open(self, channel: str) -> None:
        self.workspace.open_channel(channel)
        await until(lambda: self.view.shown == channel)

    def write(self, text: str) -> None:
        self.window.composer.text.setPlainText(text)
        QTest.keyClick(self.window.composer.text, Qt.Key.Key_Return)

    async def close(self) -> None:
        self.workspace.close()
        await self.tasks.close()
        app.close_front(self.front)
