"""One message as rows. They are made when they are first needed, and kept while the message grows."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import QDate, QLocale, QTime

from sidekicks.models import Message, Part, PermissionRequest, TextPart, ThoughtPart, ToolPart
from sidekicks.ui.conversation import phrases
from sidekicks.ui.conversation.contents import (
    Author,
    AuthorContent,
    Content,
    DayContent,
    EndContent,
    NewContent,
    PermissionContent,
    SystemContent,
)
from sidekicks.ui.conversation.parts import PartRows, put, said
from sidekicks.ui.conversation.rows import Row, gap_between
from sidekicks.ui.theme import SIZES


class Entry:
    """A message at its place in the conversation."""

    def __init__(self, message: Message, author: Author) -> None:
        self.message = message
        self.author = author
        self._permissions: dict[str, Row] = {}
        self._day: Row | None = None
        self._new: Row | None = None
        self._head: Row | None = None
        self._end: Row | None = None
        self._unanswered = False
        self._parts: list[PartRows] | None = None
        self._rows: list[Row] = []

    @property
    def rows(self) -> list[Row]:
        """Its rows, from top to bottom."""
        if self._parts is None:
            self._build()
        return self._rows

    @property
    def day(self) -> date:
        """The local day of the message."""
        return self.message.created_at.astimezone().date()

    @property
    def time(self) -> str:
        """The local time of the message, as the reader's language writes it."""
        local = self.message.created_at.astimezone()
        return QLocale().toString(QTime(local.hour, local.minute), QLocale.FormatType.ShortFormat)

    @property
    def date(self) -> str:
        """The local day and time of the message in full."""
        local = self.message.created_at.astimezone()
        day = phrases.full_date(QDate(local.year, local.month, local.day))
        return f"{day}, {self.time}"

    @property
    def byline(self) -> str:
        """Author and time, for screen readers and copies: "Mini Me, 14:02"."""
        return f"{self.author.name}, {self.time}"

    @property
    def permissions(self) -> tuple[str, ...]:
        """The ids of the questions that stand after it."""
        return tuple(self._permissions)

    def estimate(self, zoom: float) -> float:
        """Its height as well as it is known, in pixels."""
        if self._parts is not None:
            return sum(row.estimate(zoom) for row in self._rows)
        lines = 2
        for part in self.message.parts:
            text = part.text if isinstance(part, TextPart) else ""
            lines += 1 + text.count("\n") + len(text) // 100
        return lines * SIZES.line * zoom

    def texts(self) -> list[str]:
        """What each part says, in words that can be looked for; a system line is one."""
        if self.message.role == "system":
            return [self.markdown()]
        if self._parts is not None:
            return [rows.said() for rows in self._parts]
        return [said(part) for part in self.message.parts]

    def part_rows(self, index: int) -> list[Row]:
        """The rows of a part, or of the system line."""
        if self.message.role == "system":
            return [row for row in self.rows if isinstance(row.content, SystemContent)]
        parts = self._built()
        return parts[index].rows if index < len(parts) else []

    def markdown(self) -> str:
        """The message as Markdown, for copying."""
        if self._parts is None:
            self._build()
        said = [rows.markdown().strip() for rows in self._parts or ()]
        if self.message.role == "system":
            return phrases.happened(self.message, self.author.name)
        return "\n\n".join(text for text in said if text)

    def forget_heights(self) -> None:
        """Makes every row be measured anew: the width, the theme or the language has changed."""
        for row in self._rows:
            row.stale = True
            row.height = 0

    # Changes

    def begin_day(self, first: bool) -> None:
        """Says whether this is the first message of its day."""
        if first != (self._day is not None):
            self._day = Row(self, DayContent(self.day)) if first else None
            self._arrange_if_built()

    def begin_unread(self, first: bool) -> None:
        """Says whether this is the first message that was not read."""
        if first != (self._new is not None):
            self._new = Row(self, NewContent()) if first else None
            self._arrange_if_built()

    def leave_unanswered(self, unanswered: bool) -> None:
        """Says whether nobody answers this message any more."""
        if unanswered != self._unanswered:
            self._unanswered = unanswered
            self._arrange_if_built()

    def rename(self, author: Author) -> None:
        """Shows another name or icon."""
        self.author = author
        self._arrange_if_built()

    def update(self, message: Message) -> None:
        """Replaces the message; rows that say the same stay."""
        self.message = message
        if self._parts is None:
            return
        del self._parts[len(message.parts) :]
        for index, part in enumerate(message.parts):
            self._put(index, part)
        self._arrange()

    def add_text(self, index: int, thought: bool, text: str) -> None:
        """Adds text to the part at `index`, or begins it."""
        parts = self._built()
        if index < len(parts):
            if parts[index].add(text):
                self._arrange()
            return
        self.put_part(index, ThoughtPart(text=text) if thought else TextPart(text=text))

    def put_part(self, index: int, part: Part) -> None:
        """Replaces the part at `index`, or adds it."""
        self._built()
        self._put(index, part)
        self._arrange()

    def toggle(self, part: int) -> None:
        """Folds or unfolds a part."""
        self._built()[part].toggle()
        self._arrange()

    def show_whole(self, part: int) -> None:
        """Shows the output of a tool call without a cap."""
        self._built()[part].show_whole()
        self._arrange()

    def ask(self, request: PermissionRequest, agent: str) -> None:
        """Puts a question after the message."""
        content = PermissionContent(request, agent)
        if request.id in self._permissions:
            self._permissions[request.id].show(content)
        else:
            self._permissions[request.id] = Row(self, content)
        self._arrange_if_built()

    def settle(self, request_id: str) -> None:
        """Takes a question away."""
        if self._permissions.pop(request_id, None) is not None:
            self._arrange_if_built()

    def permission_row(self, request_id: str) -> Row | None:
        """Where a question stands."""
        self._built()
        return self._permissions.get(request_id)

    # Rows

    def _build(self) -> None:
        self._parts = []
        for index, part in enumerate(self.message.parts):
            self._put(index, part)
        self._arrange()

    def _built(self) -> list[PartRows]:
        if self._parts is None:
            self._build()
        assert self._parts is not None
        return self._parts

    def _put(self, index: int, part: Part) -> None:
        parts = self._parts
        assert parts is not None
        is_last = index >= max(len(parts), len(self.message.parts)) - 1
        running = not self.message.done and is_last
        if index < len(parts):
            parts[index] = put(parts[index], self, index, part, running)
            return
        if parts:
            parts[-1].rest()
        parts.append(put(None, self, len(parts), part, running))

    def _arrange_if_built(self) -> None:
        if self._parts is not None:
            self._arrange()

    def _arrange(self) -> None:
        rows = [row for row in (self._day, self._new) if row is not None]
        if self.message.role == "system":
            rows.append(self._header(SystemContent(self.message, self.author.name)))
        else:
            rows.append(self._header(self._author()))
            for part in self._parts or ():
                rows += part.rows
            if (end := self._ending()) is not None:
                rows.append(end)
        rows += self._permissions.values()
        before: Content | None = None
        for index, row in enumerate(rows):
            row.index = index
            gap = gap_between(before, row.content)
            if gap != row.gap:
                row.gap = gap
                row.stale = True
            before = row.content
        self._rows = rows

    def _header(self, content: Content) -> Row:
        if self._head is None:
            self._head = Row(self, content)
        self._head.show(content)
        return self._head

    def _author(self) -> AuthorContent:
        message = self.message
        if message.role == "user":
            queued = message.queued and not message.error
            return AuthorContent(self.author, self.time, queued=queued, date=self.date)
        seconds = None
        if message.done and message.finished_at is not None:
            seconds = (message.finished_at - message.created_at).total_seconds()
        steps = sum(isinstance(part, ToolPart) for part in message.parts)
        return AuthorContent(
            self.author,
            self.time,
            steps if message.done else 0,
            seconds,
            running=not message.done,
            date=self.date,
        )

    def _ending(self) -> Row | None:
        ended = bool(phrases.ending(self.message, self.author.name))
        if not (ended or self._unanswered):
            self._end = None
            return None
        content = EndContent(self.message, self.author.name, unanswered=not ended)
        if self._end is None:
            self._end = Row(self, content)
        self._end.show(content)
        return self._end
