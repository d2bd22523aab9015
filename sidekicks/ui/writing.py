"""What happens with what the user writes: sent, given back when refused, completed, recalled, said again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from sidekicks.events import ChannelsChanged, CommandsChanged, ConfigChanged, Event, MessageUpdated
from sidekicks.models import (
    Channel,
    Command,
    Conversation,
    FilePart,
    ImagePart,
    Message,
    Page,
    TextPart,
)
from sidekicks.ui.composer.completion import Candidates
from sidekicks.ui.composer.files import FileNames, list_files, mention
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
        self._said: list[Message] = []
        self._commands: dict[str, tuple[Command, ...]] = {}
        self._files: dict[str, FileNames] = {}
        self._waiting: dict[str, Message] = {}
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
        self._composer.files_wanted.connect(self._load_files)
        self._composer.files_given.connect(self._take_files)
        self._composer.waiting.edit_wanted.connect(self._change_waiting)
        self._composer.waiting.remove_wanted.connect(self._remove_waiting)

    def _open(self, conversation: Conversation) -> None:
        self._channel = channel = conversation.channel
        self._said = _said(conversation.messages)
        self._composer.show_conversation(
            self._workspace.overview.title(channel),
            direct=bool(channel.direct),
            draft=self._state.draft(channel.id),
            said=[text for message in self._said if (text := _text(message))],
            attachments=self._state.attachments(channel.id),
        )
        self._waiting = {message.id: message for message in conversation.messages if message.queued}
        self._show_waiting()
        self._offer_commands()
        self._composer.text.setFocus()

    def _leave(self) -> None:
        if self._channel is not None and self._channel.id in self._workspace.overview.channels:
            self._state.set_draft(self._channel.id, self._composer.text.toPlainText())
            self._state.set_attachments(self._channel.id, self._composer.attachments.parts)
        self._channel = None

    def _take_page(self, page: Page) -> None:
        older = _said(page.messages)
        self._said[:0] = older
        self._composer.said_before([text for message in older if (text := _text(message))])

    def _follow(self, event: Event) -> None:
        match event:
            case ConfigChanged():
                self._commands.clear()  # it may be another file, with other agents by these names
            case ChannelsChanged():
                self._state.forget_drafts_of_others({channel.id for channel in event.channels})
            case CommandsChanged():
                self._commands[event.agent] = event.commands
                self._offer_commands()
            case MessageUpdated() if self._channel and event.channel == self._channel.id:
                self._follow_waiting(event.message)
                known = {message.id for message in self._said}
                self._said += [message for message in _said([event.message]) if message.id not in known]
            case _:
                pass

    def _send(self, text: str, attachments: Sequence[ImagePart | FilePart] = ()) -> None:
        if (channel := self._channel) is None:
            return

        def failed(sentence: str) -> None:
            if self._channel is not None and self._channel.id == channel.id:
                self._composer.restore(text, attachments)
            else:
                draft = self._state.draft(channel.id)
                self._state.set_draft(channel.id, "\n".join(part for part in (text, draft) if part))
                kept = self._state.attachments(channel.id)
                self._state.set_attachments(channel.id, (*attachments, *kept))
            self._window.show_failure(sentence)

        self._workspace.view.scroll_to_bottom()
        work = partial(self._core.channels.send, channel.id, text, tuple(attachments))
        self._workspace.run("send", work, failure=failed)

    def _stop(self) -> None:
        if (channel := self._channel) and self._workspace.overview.activity(channel.id).busy:
            self._workspace.run("stop", partial(self._core.channels.cancel, channel.id))

    def _retry(self, message_id: str, agent: str) -> None:
        before = [message for message in self._said if message.id <= message_id]
        if before:
            self._send(self._addressed(_text(before[-1]), agent), _attachments(before[-1]))

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

    # What waits

    def _follow_waiting(self, message: Message) -> None:
        if message.queued:
            self._waiting[message.id] = message
        elif self._waiting.pop(message.id, None) is None:
            return
        self._show_waiting()

    def _show_waiting(self) -> None:
        self._composer.waiting.show_messages(sorted(self._waiting.values(), key=lambda message: message.id))

    def _change_waiting(self, message_id: str) -> None:
        """Takes a waiting message back into the composer."""

        def taken(message: Message) -> None:
            self._composer.restore(_text(message), _attachments(message))
            self._composer.text.setFocus()

        self._take_back(message_id, taken)

    def _remove_waiting(self, message_id: str) -> None:
        self._take_back(message_id, None)

    def _take_back(self, message_id: str, taken: Callable[[Message], None] | None) -> None:
        if (channel := self._channel) is not None:
            work = partial(self._core.channels.unqueue, channel.id, message_id)
            self._workspace.run("take back", work, taken)

    # What can be named

    def _folder(self) -> str:
        """The folder that the shown conversation works in; empty where nobody chose one."""
        if (channel := self._channel) is None:
            return ""
        if channel.cwd or len(channel.members) != 1:
            return channel.cwd
        definition = self._core.agents.definition(channel.members[0])
        return definition.cwd if definition is not None else ""

    def _load_files(self) -> None:
        """Lists the files anew whenever one begins to name something: they change."""
        if not (folder := self._folder()):
            return

        async def listed() -> FileNames:
            return await asyncio.to_thread(list_files, folder)

        def took(names: FileNames) -> None:
            self._files[folder] = names
            self._offer_commands()

        self._workspace.run("list files", listed, took)

    def _take_files(self, paths: list[str]) -> None:
        """Files of the folder are named in the text, others go with the message."""
        folder = Path(self._folder() or "/nowhere")
        named = [Path(path) for path in paths if Path(path).is_relative_to(folder)]
        if named:
            text = " ".join(mention(path.relative_to(folder).as_posix()) for path in named)
            self._composer.text.insertPlainText(f"{text} ")
        for path in paths:
            if Path(path) not in named:
                self._composer.attachments.add(FilePart(path=path))

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
        files = self._files.get(self._folder())
        self._composer.offer_from(Candidates(agents, members, bool(channel.direct), files))


def _said(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.role == "user"]


def _attachments(message: Message) -> tuple[ImagePart | FilePart, ...]:
    return tuple(part for part in message.parts if isinstance(part, ImagePart | FilePart))


def _text(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))
