"""Connects the core with the window: opens conversations, passes events on, says what they change."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from sidekicks.events import (
    AgentLog,
    AgentStateChanged,
    ChannelsChanged,
    CommandsChanged,
    ConfigChanged,
    Event,
    MessageDelta,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
    UsageChanged,
)
from sidekicks.models import Channel, Command, Conversation, Message, Page, TextPart
from sidekicks.ui.actions import Action, Actions
from sidekicks.ui.composer.completion import Candidates
from sidekicks.ui.conversation.view import ConversationView
from sidekicks.ui.empty_texts import EmptyTexts
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.overview import Overview
from sidekicks.ui.ports import CorePort
from sidekicks.ui.signals import FrameSignals
from sidekicks.ui.theme import Theme
from sidekicks.ui.window_state import WindowState

T = TypeVar("T")


class Workspace(QObject):
    """The conversation that is shown, and the overview of all others, kept in step with the core.

    `config_changed` and `log` pass on what concerns neither.
    """

    config_changed = Signal()
    log = Signal(str, str)

    def __init__(
        self,
        core: CorePort,
        window: MainWindow,
        view: ConversationView,
        actions: Actions,
        state: WindowState,
        theme: Theme,
    ) -> None:
        super().__init__(window)
        self._core = core
        self._window = window
        self._view = view
        self._actions = actions
        self._state = state
        self._theme = theme
        self.overview = Overview(core.agents.list(), core.channels.list())
        self.empty_texts: EmptyTexts | None = None
        self._wanted = ""
        self._said: list[tuple[str, str]] = []
        self._commands: dict[str, tuple[Command, ...]] = {}
        self._frames = FrameSignals(core.events, self)
        self._frames.frame.connect(self._apply)
        self._connect()

    def _connect(self) -> None:
        composer, view = self._window.composer, self._view
        composer.sent.connect(self._send)
        composer.stop_requested.connect(self.stop_answer)
        composer.commands_wanted.connect(self._load_commands)
        self._window.escaped.connect(self.stop_answer)
        self._window.sidebar.channel_chosen.connect(self.open_channel)
        self._window.sidebar.agent_chosen.connect(self.open_direct)
        self._window.notices.permission.pressed.connect(self.lead_to_permission)
        view.need_older.connect(self._load_older)
        view.permission_answered.connect(self._answer_permission)
        view.retry_requested.connect(self._retry)

    def begin(self) -> None:
        """Opens what was open last, else the direct conversation with the first agent, else a channel."""
        self._take_config()
        if (last := self._state.open_channel) in self.overview.channels:
            self.open_channel(last)
        elif self.overview.agents:
            self.open_direct(next(iter(self.overview.agents)))
        elif self.overview.channels:
            self.open_channel(next(iter(self.overview.channels)))
        else:
            self._show_no_agent()
        self.refresh()

    def close(self) -> None:
        """Keeps the draft and the open conversation; hears nothing more from the core."""
        self._keep_draft()
        self._state.open_channel = self.overview.shown
        self._frames.close()

    def run(
        self,
        name: str,
        work: Coroutine[Any, Any, T],
        success: Callable[[T], None] | None = None,
        failure: Callable[[str], None] | None = None,
    ) -> None:
        """Does something in the background; a failure is said above the composer unless `failure` says it."""
        self._window.show_failure("")
        failed = failure or self._window.show_failure
        action = Action(name, work, failed, success) if success else Action(name, work, failed)
        self._actions.start(action)

    @property
    def shown(self) -> Channel | None:
        """The channel that is shown."""
        return self.overview.channels.get(self.overview.shown)

    def open_channel(self, channel: str) -> None:
        """Shows a channel, as soon as it is read; of several asked for, the last."""
        self._wanted = channel
        self.run("open conversation", self._core.channels.conversation(channel), self._opened)

    def open_direct(self, agent: str) -> None:
        """Shows the direct conversation with an agent."""
        if (channel := self.overview.direct_of(agent)) is not None:
            self.open_channel(channel.id)
        else:
            self.run("open direct conversation", self._core.channels.direct(agent), self._made)

    def _made(self, channel: Channel) -> None:
        self.overview.channels[channel.id] = channel
        self.open_channel(channel.id)

    def _opened(self, conversation: Conversation) -> None:
        if (channel := conversation.channel).id != self._wanted:
            return
        # What still waits for its frame is in the conversation already; the view must not get it twice.
        self._frames.flush()
        self._keep_draft()
        self.overview.opened(conversation)
        self.overview.show(channel.id)
        self._said = [(m.id, _text(m)) for m in conversation.messages if m.role == "user"]
        self._view.show_conversation(conversation, tuple(self.overview.agents.values()))
        self._window.composer.show_conversation(
            self.overview.title(channel),
            direct=bool(channel.direct),
            draft=self._state.draft(channel.id),
            said=[text for _, text in self._said],
        )
        self._show_page(has_messages=bool(conversation.messages))
        self._offer_commands()
        self._window.composer.text.setFocus()
        self.refresh()

    def _keep_draft(self) -> None:
        if self.overview.shown:
            self._state.set_draft(self.overview.shown, self._window.composer.text.toPlainText())

    def _show_page(self, *, has_messages: bool) -> None:
        if has_messages:
            self._window.show_messages()
            return
        channel = self.shown
        if channel is None or self.empty_texts is None:
            return
        agent = self.overview.agents.get(channel.direct)
        if agent is not None:
            ratio = self._window.devicePixelRatioF()
            self._window.show_empty(self.empty_texts.direct(agent, self._theme, ratio))
        else:
            self._window.show_empty(self.empty_texts.channel(channel))

    def _show_no_agent(self) -> None:
        self.overview.show("")
        self._window.composer.setEnabled(False)
        if self.empty_texts is not None:
            self._window.show_empty(self.empty_texts.no_agent())

    def _apply(self, events: list[Event]) -> None:
        changed = False
        for event in events:
            changed = self.overview.apply(event) or changed
            self._pass_on(event)
        if changed:
            self.refresh()

    def _pass_on(self, event: Event) -> None:
        match event:
            case ConfigChanged():
                self._take_config()
                self.config_changed.emit()
            case AgentLog():
                self.log.emit(event.agent, event.line)
            case CommandsChanged():
                self._commands[event.agent] = event.commands
                self._offer_commands()
            case ChannelsChanged():
                self._channels_changed()
            case AgentStateChanged():
                if not self._window.shows_messages:
                    self._show_page(has_messages=False)
            case MessageUpdated():
                self._message(event)
            case (
                MessageDelta() | TurnChanged() | PermissionRequested() | PermissionResolved() | UsageChanged()
            ):
                if event.channel == self.overview.shown:
                    self._view.apply(event)

    def _message(self, event: MessageUpdated) -> None:
        if event.channel != self.overview.shown:
            return
        self._view.apply(event)
        self._window.show_messages()
        message = event.message
        if message.role == "user" and all(id_ != message.id for id_, _ in self._said):
            self._said.append((message.id, _text(message)))

    def _channels_changed(self) -> None:
        if (shown := self.overview.shown) and shown not in self.overview.channels:
            self.overview.show("")
            self._state.set_draft(shown, "")
            self.begin()
        elif self.shown is not None:
            self._offer_commands()

    def _take_config(self) -> None:
        current = self._core.config.current()
        self._state.use_config(str(current.path))
        self.overview.set_agents(self._core.agents.list())
        notices = self._window.notices
        notices.history.say(current.history_problem, dismissable=True)
        if current.valid or not current.problems:
            notices.config.say("")
        else:
            first = current.problems[0]
            text = self.tr(
                "The configuration has problems (line {line}: {problem}). The last valid one stays in force."
            ).format(line=first.line, problem=first.message)
            detail = "\n".join(f"{p.line}:{p.column}: {p.message}" for p in current.problems)
            notices.config.say(text, self.tr("Open settings"), detail=detail)
        self.refresh()

    def refresh(self) -> None:
        """Shows the overview in every part of the window."""
        window, overview = self._window, self.overview
        window.sidebar.show_overview(overview)
        window.header.show_overview(overview)
        self._show_turn()
        self._show_permissions()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self._view.set_theme(theme)
        if not self._window.shows_messages:
            self._show_page(has_messages=False)

    def retranslate(self) -> None:
        """Says everything anew, in another language."""
        self._take_config()
        if not self._window.shows_messages:
            self._show_page(has_messages=False)

    def _show_turn(self) -> None:
        activity = self.overview.activity(self.overview.shown)
        waiting = ""
        if other := self.overview.channels.get(activity.waiting_for):
            waiting = self.tr("Waiting for {agent}, who answers in {channel}").format(
                agent=self.overview.agent_title(activity.answering), channel=self.overview.title(other)
            )
        self._window.composer.show_turn(busy=activity.busy, queued=activity.queued, waiting=waiting)

    def _show_permissions(self) -> None:
        pending = self.overview.pending()
        title = "Sidekicks"
        if channel := self.shown:
            title = f"{self.overview.title(channel)} — {title}"
        self._window.setWindowTitle(f"({len(pending)}) {title}" if pending else title)
        elsewhere = [request for request in pending if request.channel != self.overview.shown]
        if not elsewhere:
            self._window.notices.permission.say("")
            return
        request = elsewhere[0]
        text = self.tr("{agent} asks for permission in {channel}: {what}").format(
            agent=self.overview.agent_title(request.agent),
            channel=self.overview.title(self.overview.channels[request.channel]),
            what=request.tool_call.title,
        )
        if len(elsewhere) > 1:
            text += " " + self.tr("(and %n more)", "", len(elsewhere) - 1)
        self._window.notices.permission.say(text, self.tr("Show"))

    def lead_to_permission(self) -> None:
        """Shows the oldest permission that is not in view."""
        for request in self.overview.pending():
            if request.channel != self.overview.shown:
                self.open_channel(request.channel)
                return
        self._view.scroll_to_bottom()

    def stop_answer(self) -> None:
        """Stops the shown conversation's answer and drops what waits there."""
        if (channel := self.shown) is not None and self.overview.activity(channel.id).busy:
            self.run("stop", self._core.channels.cancel(channel.id))

    def _send(self, text: str) -> None:
        if (channel := self.shown) is None:
            return

        def failed(sentence: str) -> None:
            if self.overview.shown == channel.id:
                self._window.composer.restore(text)
            else:
                self._state.set_draft(channel.id, text)
            self._window.show_failure(sentence)

        self._view.scroll_to_bottom()
        self.run("send", self._core.channels.send(channel.id, text), failure=failed)

    def _retry(self, message_id: str) -> None:
        before = [text for id_, text in self._said if id_ < message_id]
        if before:
            self._send(before[-1])

    def _answer_permission(self, permission: str, option: str) -> None:
        self.run("answer permission", self._core.channels.answer_permission(permission, option))

    def _load_older(self, before: str) -> None:
        if (channel := self.shown) is None:
            return

        def loaded(page: Page) -> None:
            if self.overview.shown == channel.id:
                self._view.prepend(page)
                self._said[:0] = [(m.id, _text(m)) for m in page.messages if m.role == "user"]

        self.run("older messages", self._core.channels.older(channel.id, before), loaded)

    def _load_commands(self) -> None:
        if (channel := self.shown) is None:
            return
        for agent in channel.members:
            if agent not in self._commands:
                self.run("commands", self._commands_of(agent), self._took_commands)
        self.run("prepare", self._core.channels.prepare(channel.id))

    async def _commands_of(self, agent: str) -> tuple[str, tuple[Command, ...]]:
        return agent, tuple(await self._core.channels.commands(agent))

    def _took_commands(self, result: tuple[str, tuple[Command, ...]]) -> None:
        agent, commands = result
        self._commands[agent] = commands
        self._offer_commands()

    def _offer_commands(self) -> None:
        if (channel := self.shown) is None:
            return
        members = {name: self._commands.get(name, ()) for name in channel.members}
        agents = tuple(self.overview.agents.values())
        self._window.composer.offer_from(Candidates(agents, members, bool(channel.direct)))


def _text(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))
