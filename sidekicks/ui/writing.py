"""What happens with what the user writes: sent, given back when refused, completed, recalled, said again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from sidekicks.events import CommandsChanged, ConfigChanged, Event, MessageUpdated
from sidekicks.models import Channel, Command, Conversation, Message, Page, TextPart
from sidekicks.ui.composer.completion import Candidates
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.window_state import WindowState
from sidekicks.ui.workspace import Workspace

if TYPE_CHECKING:
    from sidekicks.core import Core


class Writing(QObject):
    """Connects the composer with the conversation that is shown."""

    def __init__(self, core: Core, window: MainWindow, workspace: Workspace, state: WindowState) -> None:
        super().__init__(window)
        self._core = core
        self._composer = window.composer
        self._window = window
        self._workspace = workspace
        self._state = state
        self._channel: Channel | None = None
        self._said: list[tuple[str, str]] = []
        self._commands: dict[str, tuple[Command, ...]] = {}
        workspace.opened.connect(self._open)
        workspace.left.connect(self._leave)
        workspace.paged.connect(self._take_page)
        workspace.happened.connect(self._follow)
        workspace.view.retry_requested.connect(self._retry)
        workspace.view.quote_requested.connect(self._quote)
        window.escaped.connect(self._stop)
        self._composer.sent.connect(self._send)
        self._composer.stop_requested.connect(self._stop)
        self._composer.commands_wanted.connect(self._load_commands)

    def _open(self, conversation: Conversation) -> None:
        self._channel = channel = conversation.channel
        self._said = _said(conversation.messages)
        self._composer.show_conversation(
            self._workspace.overview.title(channel),
            direct=bool(channel.direct),
            draft=self._state.draft(channel.id),
            said=[text for _, text in self._said],
        )
        self._offer_commands()
        self._composer.text.setFocus()

    def _leave(self) -> None:
        if self._channel is not None:
            self._state.set_draft(self._channel.id, self._composer.text.toPlainText())
        self._channel = None

    def _take_page(self, page: Page) -> None:
        self._said[:0] = _said(page.messages)

    def _follow(self, event: Event) -> None:
        match event:
            case ConfigChanged():
                self._commands.clear()  # it may be another file, with other agents by these names
            case CommandsChanged():
                self._commands[event.agent] = event.commands
                self._offer_commands()
            case MessageUpdated() if self._channel and event.channel == self._channel.id:
                known = {id_ for id_, _ in self._said}
                self._said += [said for said in _said([event.message]) if said[0] not in known]
            case _:
                pass

    def _send(self, text: str) -> None:
        if (channel := self._channel) is None:
            return

        def failed(sentence: str) -> None:
            if self._channel is not None and self._channel.id == channel.id:
                self._composer.restore(text)
            else:
                self._state.set_draft(channel.id, text)
            self._window.show_failure(sentence)

        self._workspace.view.scroll_to_bottom()
        self._workspace.run("send", partial(self._core.channels.send, channel.id, text), failure=failed)

    def _stop(self) -> None:
        if (channel := self._channel) and self._workspace.overview.activity(channel.id).busy:
            self._workspace.run("stop", partial(self._core.channels.cancel, channel.id))

    def _retry(self, message_id: str, agent: str) -> None:
        before = [text for id_, text in self._said if id_ <= message_id]
        if before:
            self._send(self._addressed(before[-1], agent))

    def _addressed(self, text: str, agent: str) -> str:
        """The text for one agent alone: in a channel others may have answered it already."""
        channel = self._channel
        if not agent or channel is None or channel.direct or channel.members == (agent,):
            return text
        if text.startswith("/"):
            return text  # a command names its agent itself
        for name in self._workspace.overview.agents:
            text = re.sub(rf"(?<!\S)@{re.escape(name)}(?![\w-])", name, text, flags=re.IGNORECASE)
        return f"@{agent} {text}"

    def _quote(self, text: str) -> None:
        """Puts what was said before what is being written, as a quote."""
        field = self._composer.text
        quoted = "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))
        field.set_text(f"{quoted}\n\n{field.toPlainText()}")
        field.setFocus()

    def _load_commands(self) -> None:
        if (channel := self._workspace.shown) is None:
            return
        for agent in channel.members:
            if agent not in self._commands:
                self._commands[agent] = self._core.channels.commands(agent)
        self._offer_commands()
        self._workspace.run("prepare", partial(self._core.channels.prepare, channel.id))

    def _offer_commands(self) -> None:
        if (channel := self._workspace.shown) is None:
            return
        members = {name: self._commands.get(name, ()) for name in channel.members}
        agents = tuple(self._workspace.overview.agents.values())
        self._composer.offer_from(Candidates(agents, members, bool(channel.direct)))


def _said(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(message.id, _text(message)) for message in messages if message.role == "user"]


def _text(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))
