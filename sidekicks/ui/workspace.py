"""Connects the core with the window: opens conversations, passes events on, shows what they change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from sidekicks.events import (
    AgentStateChanged,
    ChannelsChanged,
    ConfigChanged,
    Event,
    MessageDelta,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
    UnreadChanged,
    UsageChanged,
)
from sidekicks.models import Channel, Conversation, Page, PermissionRequest
from sidekicks.ui.actions import Action, Actions
from sidekicks.ui.alerts import Alerts
from sidekicks.ui.empty_texts import EmptyTexts
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.overview import Overview
from sidekicks.ui.signals import FrameSignals
from sidekicks.ui.theme import Theme
from sidekicks.ui.window_state import WindowState

if TYPE_CHECKING:
    from sidekicks.core import Core
    from sidekicks.ui.conversation.view import ConversationView

T = TypeVar("T")

log = logging.getLogger(__name__)

LAYOUT_MS = 50


class Workspace(QObject):
    """The conversation that is shown, and the overview of all others, kept in step with the core.

    `opened` (Conversation), `left` (before another is shown, and at the end), `paged` (Page), and
    `happened` (Event, after it was taken in) let others follow.
    """

    opened = Signal(object)
    left = Signal()
    paged = Signal(object)
    happened = Signal(object)

    def __init__(
        self,
        core: Core,
        window: MainWindow,
        view: ConversationView,
        actions: Actions,
        state: WindowState,
        theme: Theme,
    ) -> None:
        super().__init__(window)
        self._core = core
        self._window = window
        self.view = view
        self._actions = actions
        self._state = state
        self._theme = theme
        self.overview = Overview(core.agents.list(), core.channels.list())
        self._alerts = Alerts(window)
        self._empty_texts: EmptyTexts | None = None
        self._wanted = ""
        self._leading_to = ""
        self._frames = FrameSignals(core.events, self)
        self._frames.frame.connect(self._apply)
        window.sidebar.channel_chosen.connect(self.open_channel)
        window.sidebar.agent_chosen.connect(self.open_direct)
        window.sidebar.reordered.connect(self._keep_order)
        window.notices.permission.pressed.connect(self._lead_to_permission)
        window.composer.nothing_sent.connect(self._turn_to_permission)
        view.need_older.connect(self._load_older)
        view.permission_answered.connect(self._answer_permission)
        view.visible_permissions_changed.connect(self._show_permissions)
        # A card that has just come is laid out before it is said to be out of view.
        self._permissions_soon = QTimer(self)
        self._permissions_soon.setSingleShot(True)
        self._permissions_soon.setInterval(LAYOUT_MS)
        self._permissions_soon.timeout.connect(self._show_permissions)

    def begin(self, empty_texts: EmptyTexts) -> None:
        """Shows the first conversation; `empty_texts` are what stands where there are no messages."""
        self._empty_texts = empty_texts
        self._take_config()
        self.overview.take_unread(self._core.channels.unread())
        self._open_first()

    def close(self) -> None:
        """Keeps what was open; hears nothing more from the core."""
        self.left.emit()
        self._state.open_channel = self.overview.shown
        self._frames.close()
        self._permissions_soon.stop()

    def run(
        self,
        name: str,
        work: Callable[[], Coroutine[Any, Any, T]],
        success: Callable[[T], None] | None = None,
        failure: Callable[[str], None] | None = None,
    ) -> asyncio.Task[None]:
        """Does something in the background; a failure is said above the composer unless `failure` says it."""
        self._window.show_failure("")
        failed = failure or self._window.show_failure
        action = Action(name, work, failed, success) if success else Action(name, work, failed)
        return self._actions.start(action)

    def catch_up(self) -> None:
        """Takes in what still waits for its frame, before something is read that has it already."""
        self._frames.flush()

    def run_quietly(
        self, name: str, work: Callable[[], Coroutine[Any, Any, T]], success: Callable[[T], None]
    ) -> None:
        """The same for what nobody asked for: a failure is only in the log, and takes no sentence away."""
        self._actions.start(Action(name, work, log.warning, success))

    @property
    def shown(self) -> Channel | None:
        """The channel that is shown."""
        return self.overview.channels.get(self.overview.shown)

    def open_channel(self, channel: str) -> None:
        """Shows a channel, as soon as it is read; of several asked for, the last."""
        self._window.show_conversation()
        self._open(channel)

    def _open(self, channel: str) -> None:
        self._wanted = channel
        self.run("open conversation", partial(self._core.channels.conversation, channel), self._show)

    def open_direct(self, agent: str) -> None:
        """Shows the direct conversation with an agent."""
        self._window.show_conversation()
        self._open_direct(agent)

    def _open_direct(self, agent: str) -> None:
        if (channel := self.overview.direct_of(agent)) is not None:
            self._open(channel.id)
            return
        self._wanted = agent

        def made(channel: Channel) -> None:
            if self._wanted == agent:
                self.overview.channels.setdefault(channel.id, channel)
                self._open(channel.id)

        self.run("open direct conversation", partial(self._core.channels.direct, agent), made)

    def open_new(self, channel: Channel) -> None:
        """Shows a channel that was just made."""
        self.overview.channels.setdefault(channel.id, channel)
        self.open_channel(channel.id)

    def _open_first(self) -> None:
        """What was open last, else the direct conversation with the first agent, else a channel."""
        if (last := self._state.open_channel) in self.overview.channels:
            self._open(last)
        elif self.overview.agents:
            self._open_direct(next(iter(self.overview.agents)))
        elif self.overview.channels:
            self._open(next(iter(self.overview.channels)))
        else:
            self.overview.show("")
            self._window.composer.setEnabled(False)
            self._show_empty()
        self.refresh()

    def _show(self, conversation: Conversation) -> None:
        if (channel := conversation.channel).id != self._wanted:
            return
        # What still waits for its frame is in the conversation already; the view must not get it twice.
        self._frames.flush()
        self.left.emit()
        unread = self.overview.activity(channel.id).unread
        self.overview.opened(conversation)
        self.overview.show(channel.id)
        self.view.show_conversation(conversation, self.overview.agents, unread)
        if conversation.messages:
            self._window.show_messages()
        else:
            self._show_empty()
        self.opened.emit(conversation)
        self._mark_read(channel.id)
        self.refresh()
        if any(request.id == self._leading_to for request in conversation.permissions):
            self.view.show_permission(self._leading_to)
        self._leading_to = ""

    def _mark_read(self, channel: str) -> None:
        """What is shown is read."""
        work = partial(self._core.channels.mark_read, channel)
        self._actions.start(Action("mark as read", work, log.warning))

    def _show_empty(self) -> None:
        texts, channel = self._empty_texts, self.shown
        if texts is None:
            return
        if channel is None:
            empty = texts.no_agent()
        elif (agent := self.overview.agents.get(channel.direct)) is not None:
            empty = texts.direct(agent, self._theme, self._window.devicePixelRatioF())
        elif channel.direct:
            empty = texts.gone(channel.direct)
        else:
            empty = texts.channel(channel, self.overview.title(channel))
        self._window.show_empty(empty)

    def _apply(self, events: list[Event]) -> None:
        changed = False
        for event in events:
            changed = self.overview.apply(event) or changed
            self._pass_on(event)
            self.happened.emit(event)
        if changed:
            self.refresh()

    def _pass_on(self, event: Event) -> None:
        match event:
            case ConfigChanged():
                self._take_config()
                if self.shown is None:
                    self._open_first()
            case ChannelsChanged():
                if self.overview.shown and self.shown is None:
                    self.left.emit()
                    self._open_first()
            case AgentStateChanged():
                if not self._window.shows_messages:
                    self._show_empty()
            case UnreadChanged() if event.channel == self.overview.shown and event.unread:
                self._mark_read(event.channel)
            case (
                MessageUpdated()
                | MessageDelta()
                | TurnChanged()
                | UsageChanged()
                | PermissionRequested()
                | PermissionResolved()
            ) if event.channel == self.overview.shown:
                self.view.apply(event)
                if isinstance(event, MessageUpdated):
                    self._window.show_messages()
            case _:
                pass

    def _take_config(self) -> None:
        current = self._core.config.current()
        self._state.use_config(current.path, kept=self._core.keeps_history)
        self._window.sidebar.arrange(self._state.order)
        self.overview.set_agents(self._core.agents.list())
        self.view.set_agents(self.overview.agents)
        self._alerts.show_config(current, has_agents=bool(self.overview.agents))
        self.refresh()

    def _keep_order(self, order: tuple[str, ...]) -> None:
        self._state.order = order

    def refresh(self) -> None:
        """Shows the overview in every part of the window."""
        overview = self.overview
        self._window.sidebar.show_overview(overview)
        self._window.header.show_overview(overview)
        activity = overview.activity(overview.shown)
        waiting = ""
        agent = overview.agents.get(activity.answering)
        if agent is not None and agent.state == "starting":
            waiting = self.tr("Starting {agent}…").format(agent=agent.title)
        if activity.silent:
            waiting = self.tr("Nothing was heard of {agent} for a while; Stop ends the answer").format(
                agent=overview.agent_title(activity.answering)
            )
        if other := overview.channels.get(activity.waiting_for):
            waiting = self.tr("Waiting for {agent}, who answers in {channel}").format(
                agent=overview.agent_title(activity.answering), channel=overview.title(other)
            )
        self._window.composer.show_turn(busy=activity.busy, queued=activity.queued, waiting=waiting)
        self._alerts.show_title(overview)
        if not self._permissions_soon.isActive():
            self._permissions_soon.start()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.view.set_theme(theme)
        if not self._window.shows_messages:
            self._show_empty()

    def retranslate(self) -> None:
        """Says everything anew, in another language."""
        self._take_config()
        if not self._window.shows_messages:
            self._show_empty()

    def _hidden_permissions(self) -> list[PermissionRequest]:
        seen = self.view.visible_permissions() if self._window.shows_messages else frozenset[str]()
        return [
            request
            for request in self.overview.pending()
            if request.channel != self.overview.shown or request.id not in seen
        ]

    def _show_permissions(self) -> None:
        self._alerts.show_hidden(self.overview, self._hidden_permissions())

    def _lead_to_permission(self) -> None:
        if not (hidden := self._hidden_permissions()):
            return
        self._leading_to = hidden[0].id
        if hidden[0].channel == self.overview.shown:
            self.view.show_permission(self._leading_to)
        else:
            self.open_channel(hidden[0].channel)

    def _turn_to_permission(self) -> None:
        """Enter with nothing typed gives a question of this conversation the keyboard; another one allows."""
        for request in self.overview.pending():
            if request.channel == self.overview.shown:
                self.view.show_permission(request.id)
                return

    def _answer_permission(self, permission: str, option: str) -> None:
        self.run("answer permission", partial(self._core.channels.answer_permission, permission, option))

    def take_older(self, page: Page) -> None:
        """Puts older messages of the shown conversation above what is loaded of it."""
        self.view.prepend(page)
        self.paged.emit(page)

    def _load_older(self, before: str) -> None:
        if (channel := self.shown) is None:
            return

        def loaded(page: Page) -> None:
            if self.overview.shown == channel.id:
                self.take_older(page)

        self.run("older messages", partial(self._core.channels.older, channel.id, before), loaded)
