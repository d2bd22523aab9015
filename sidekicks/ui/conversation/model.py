"""The conversation as the view walks through it: entries in order, and in each its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QCoreApplication

from sidekicks import events
from sidekicks.models import (
    AgentStatus,
    Conversation,
    Message,
    Page,
    PermissionRequest,
    is_news,
)
from sidekicks.ui.conversation.contents import Author
from sidekicks.ui.conversation.entry import Entry
from sidekicks.ui.conversation.rows import Row


class ConversationModel:
    """The messages of one channel that are loaded, oldest first."""

    def __init__(self) -> None:
        self.channel = ""
        self.more = False
        self.entries: list[Entry] = []
        self.first_unread: Entry | None = None
        self._unanswered: Entry | None = None
        self._places: dict[str, int] = {}
        self._heights: list[float] = []
        self._changed: set[Entry] = set()
        self._zoom = 0.0
        self._permissions: dict[str, Entry] = {}
        self._authors: dict[str, Author] = {}

    # What is there

    def get(self, message_id: str) -> Entry | None:
        """The entry of a message."""
        place = self._places.get(message_id)
        return None if place is None else self.entries[place]

    def place(self, entry: Entry) -> int:
        """Where an entry stands."""
        return self._places[entry.message.id]

    def first(self) -> Row | None:
        """The topmost row."""
        return self.entries[0].rows[0] if self.entries else None

    def last(self) -> Row | None:
        """The bottommost row."""
        return self.entries[-1].rows[-1] if self.entries else None

    def after(self, row: Row) -> Row | None:
        """The next row below."""
        rows = row.entry.rows
        if row.index + 1 < len(rows):
            return rows[row.index + 1]
        place = self.place(row.entry) + 1
        return self.entries[place].rows[0] if place < len(self.entries) else None

    def before(self, row: Row) -> Row | None:
        """The next row above."""
        if row.index:
            return row.entry.rows[row.index - 1]
        place = self.place(row.entry) - 1
        return self.entries[place].rows[-1] if place >= 0 else None

    def order(self, row: Row) -> tuple[int, int]:
        """Sorts rows from top to bottom."""
        return self.place(row.entry), row.index

    def permission_row(self, request_id: str) -> Row | None:
        """Where a question stands."""
        entry = self._permissions.get(request_id)
        return None if entry is None else entry.permission_row(request_id)

    def heights(self, zoom: float) -> list[float]:
        """The height of each entry as well as it is known; only what was touched is added up anew."""
        if zoom != self._zoom or len(self._heights) != len(self.entries):
            self._zoom = zoom
            self._heights = [entry.estimate(zoom) for entry in self.entries]
        else:
            for entry in self._changed:
                self._heights[self.place(entry)] = entry.estimate(zoom)
        self._changed.clear()
        return self._heights

    def touch(self, entry: Entry) -> None:
        """Says that the height of an entry has changed."""
        self._changed.add(entry)

    # What changes

    def show(self, conversation: Conversation, agents: Mapping[str, AgentStatus], unread: int = 0) -> None:
        """Replaces everything; the last `unread` messages that are news were not read yet."""
        self.channel = conversation.channel.id
        self.more = conversation.more
        self._permissions = {}
        self._unanswered = None
        self._name(agents)
        self.entries = [self._entry(message) for message in conversation.messages]
        self._heights = []
        self._changed.clear()
        self._count()
        self._mark_days(range(len(self.entries)))
        self.first_unread = self._mark_unread(unread)
        idle = not (conversation.busy or conversation.queued)
        self._wait_for_answer(idle)
        for request in conversation.permissions:
            self._ask(request)

    def rename(self, agents: Mapping[str, AgentStatus]) -> None:
        """Takes over the agents' titles and icons."""
        self._name(agents)
        self.refresh_names()

    def refresh_names(self) -> None:
        """Writes the names of authors anew: they or the language have changed."""
        for entry in self.entries:
            author = self._author(entry.message)
            entry.rename(author)
            self.touch(entry)

    def prepend(self, page: Page) -> None:
        """Puts older messages before the first one."""
        known = self._places
        older = [self._entry(message) for message in page.messages if message.id not in known]
        self.entries[:0] = older
        self._heights[:0] = [entry.estimate(self._zoom) for entry in older] if self._heights else []
        self.more = page.more
        self._count()
        self._mark_days(range(min(len(older) + 1, len(self.entries))))

    def apply(self, event: events.Event) -> Entry | None:
        """Takes an event; the entry it changed, if it is of this channel and changes one."""
        entry = self._take(event)
        if entry is not None:
            self.touch(entry)
        return entry

    def _take(self, event: events.Event) -> Entry | None:
        match event:
            case events.MessageUpdated(channel=self.channel):
                return self._update(event.message)
            case events.MessageDelta(channel=self.channel):
                return self._grow(event)
            case events.TurnChanged(channel=self.channel, busy=True):
                self._wait_for_answer(idle=False)
                return self.entries[-1] if self.entries else None
            case events.PermissionRequested(channel=self.channel):
                return self._ask(event)
            case events.PermissionResolved(channel=self.channel):
                entry = self._permissions.pop(event.id, None)
                if entry is not None:
                    entry.settle(event.id)
                return entry
            case _:
                return None

    def _update(self, message: Message) -> Entry:
        entry = self.get(message.id)
        if entry is None:
            return self._add(message)
        entry.update(message)
        return entry

    def _grow(self, delta: events.MessageDelta) -> Entry | None:
        entry = self.get(delta.message_id)
        if entry is None:
            return None
        if delta.part is not None:
            entry.put_part(delta.index, delta.part)
        elif delta.text:
            entry.add_text(delta.index, delta.kind == "thought", delta.text)
        return entry

    def _ask(self, request: PermissionRequest) -> Entry | None:
        entry = self.get(request.message_id) or (self.entries[-1] if self.entries else None)
        if entry is not None:
            entry.ask(request, self._agent(request.agent).name)
            self._permissions[request.id] = entry
        return entry

    def _add(self, message: Message) -> Entry:
        self._wait_for_answer(idle=False)
        entry = self._entry(message)
        place = len(self.entries)
        while place and self.entries[place - 1].message.id > message.id:
            place -= 1
        self.entries.insert(place, entry)
        if self._heights:
            self._heights.insert(place, entry.estimate(self._zoom))
        if place == len(self.entries) - 1:
            self._places[message.id] = place
        else:
            self._count()
        self._mark_days(range(place, min(place + 2, len(self.entries))))
        return entry

    def _count(self) -> None:
        self._places = {entry.message.id: place for place, entry in enumerate(self.entries)}

    def _mark_days(self, places: Iterable[int]) -> None:
        for place in places:
            entry = self.entries[place]
            entry.begin_day(place == 0 or self.entries[place - 1].day != entry.day)

    def _wait_for_answer(self, idle: bool) -> None:
        """A message of the user that is the last one, with nobody at work, was left unanswered."""
        last = self.entries[-1] if self.entries else None
        waits = last is not None and last.message.role == "user" and not last.message.queued
        unanswered = last if waits and idle else None
        if unanswered is not self._unanswered:
            if self._unanswered is not None:
                self._unanswered.leave_unanswered(False)
                self.touch(self._unanswered)
            if unanswered is not None:
                unanswered.leave_unanswered(True)
            self._unanswered = unanswered

    def _mark_unread(self, count: int) -> Entry | None:
        news = [e for e in self.entries if e.message.done and is_news(e.message.role, e.message.code)]
        if not count or not news:
            return None
        first = news[-min(count, len(news))]
        first.begin_unread(True)
        return first

    def said_after(self, message_id: str) -> int:
        """How many messages that are news came after one."""
        count = 0
        for entry in reversed(self.entries):
            if entry.message.id <= message_id:
                break
            count += is_news(entry.message.role, entry.message.code)
        return count

    def _entry(self, message: Message) -> Entry:
        return Entry(message, self._author(message))

    def _author(self, message: Message) -> Author:
        if message.role == "user":
            return Author(QCoreApplication.translate("ConversationModel", "You"))
        return self._agent(message.agent)

    def _agent(self, name: str) -> Author:
        return self._authors.get(name) or Author(name)

    def _name(self, agents: Mapping[str, AgentStatus]) -> None:
        self._authors = {name: Author(status.title or name, status.icon) for name, status in agents.items()}
