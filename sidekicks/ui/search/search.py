"""Searches in all conversations, and leads to what was found."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QObject, QTimer

from sidekicks.models import Conversation, Found, Message, Page, SearchResult
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.search.page import SearchPage
from sidekicks.ui.theme import Theme
from sidekicks.ui.workspace import Workspace

if TYPE_CHECKING:
    from sidekicks.core import Core

LIMIT = 100
AGAIN_MS = 500
"""While the index is being made the search is done again this often."""


class Search(QObject):
    """Made when something is searched first. Of several searches at once only the last one is shown."""

    def __init__(self, core: Core, window: MainWindow, workspace: Workspace, theme: Theme) -> None:
        super().__init__(window)
        self._core = core
        self._window = window
        self._workspace = workspace
        self._words, self._channel = "", ""
        self._leading_to: Found | None = None
        self.page = SearchPage(theme, self._heading, window.sides)
        window.add_side(self.page)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(AGAIN_MS)
        self._later.timeout.connect(self._search)
        self.page.left.connect(self._leave)
        self.page.wanted.connect(self._want)
        self.page.chosen.connect(self._open)
        workspace.opened.connect(self._opened)
        workspace.left.connect(self._unmark)

    def show(self, words: str = "") -> None:
        """Shows the page, with these words, or what was looked for last."""
        shown = self._workspace.shown
        self._window.show_side(self.page)
        self.page.begin(self._workspace.overview.title(shown) if shown is not None else "")
        if words:
            self.page.field.setText(words)

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self.page.set_theme(theme)

    def _leave(self) -> None:
        self._later.stop()
        self._window.show_conversation()

    def _want(self, words: str, here: bool) -> None:
        self._words, self._channel = words, self._workspace.overview.shown if here else ""
        self._search()

    def _search(self) -> None:
        self._later.stop()
        words, channel = self._words, self._channel
        if not words:
            self.page.show_result(SearchResult())
            self.page.say("")
            return

        def found(result: SearchResult) -> None:
            if (words, channel) != (self._words, self._channel):
                return
            self.page.show_result(result)
            if not result.complete and not result.problem and self.page.isVisible():
                self._later.start()

        def failed(sentence: str) -> None:
            if (words, channel) == (self._words, self._channel):
                self.page.say(sentence)

        work = partial(self._core.channels.search, words, channel, LIMIT)
        self._workspace.run("search", work, found, failed)

    def _open(self, found: Found) -> None:
        self._later.stop()
        self._leading_to = found
        self._workspace.open_channel(found.channel)

    def _opened(self, conversation: Conversation) -> None:
        found, self._leading_to = self._leading_to, None
        if found is None or conversation.channel.id != found.channel:
            return
        view = self._workspace.view
        if view.show_message(found.message.id):
            view.look_for(_first_of(found))
            return

        def loaded(page: Page) -> None:
            if self._workspace.overview.shown != found.channel:
                return
            self._workspace.take_older(page)
            view.show_message(found.message.id)
            view.look_for(_first_of(found))

        oldest = conversation.messages[0].id if conversation.messages else ""
        self._workspace.run("older messages", partial(self._back_to, found, oldest), loaded)

    async def _back_to(self, found: Found, before: str) -> Page:
        """The messages from what was found up to the one `before` which they are."""
        messages: tuple[Message, ...] = ()
        while True:
            page = await self._core.channels.older(found.channel, before)
            messages = (*page.messages, *messages)
            if not page.more or not page.messages or page.messages[0].id <= found.message.id:
                return Page(messages=messages, more=page.more)
            before = page.messages[0].id

    def _unmark(self) -> None:
        self._workspace.view.look_for("")

    def _heading(self, found: Found) -> str:
        overview = self._workspace.overview
        channel = overview.channels.get(found.channel)
        is_mine = found.message.role == "user"
        who = self.tr("You") if is_mine else overview.agent_title(found.message.agent)
        local = found.message.created_at.astimezone()
        when = QLocale().toString(
            QDateTime.fromSecsSinceEpoch(int(local.timestamp())), QLocale.FormatType.ShortFormat
        )
        place = overview.title(channel) if channel is not None else found.channel
        return f"{place}  ·  {who}  ·  {when}"


def _first_of(found: Found) -> str:
    """The word to mark in the message: the first of those that were found there, as it stands there."""
    return found.snippet[found.spans[0][0] : found.spans[0][1]] if found.spans else ""
