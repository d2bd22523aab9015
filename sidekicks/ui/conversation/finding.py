"""Finding words in what is loaded of a conversation: where they are, and which of them the reader is at."""

from __future__ import annotations

from dataclasses import dataclass

from sidekicks.ui.conversation.contents import SegmentContent, SystemContent, ThoughtContent, ToolContent
from sidekicks.ui.conversation.entry import Entry
from sidekicks.ui.conversation.model import ConversationModel
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.positions import folded


@dataclass(frozen=True, slots=True)
class Hit:
    """The words once more: the `number`th time in a part of a message."""

    message_id: str
    part: int
    number: int


class Finding:
    """The hits of `needle`, oldest first. `current` is the one the reader is at; None before any step."""

    def __init__(self, model: ConversationModel) -> None:
        self._model = model
        self.needle = ""
        self.hits: list[Hit] = []
        self.current: Hit | None = None

    def search(self, needle: str) -> None:
        """Finds all of them anew, upper and lower case alike; the current one stays if it is still there."""
        self.needle = folded(needle)
        self.hits = []
        if self.needle:
            for entry in self._model.entries:
                self.hits += _hits(entry, self.needle)
        if self.current not in self.hits:
            self.current = None

    def step(self, by: int, near: str) -> Hit | None:
        """Goes to the next one (1) or the one before (-1), around the ends; 0 stays where it is.

        At first it goes to the last one up to the message `near`.
        """
        if not self.hits:
            return None
        if self.current is not None:
            place = (self.hits.index(self.current) + by) % len(self.hits)
        else:
            before = [place for place, hit in enumerate(self.hits) if hit.message_id <= near]
            place = before[-1] if before else 0
        self.current = self.hits[place]
        return self.current

    def row_of(self, hit: Hit) -> tuple[Row, int] | None:
        """Where a hit is, and how many others are before it in its row. What is folded is unfolded."""
        entry = self._model.get(hit.message_id)
        if entry is None:
            return None
        rows = entry.part_rows(hit.part)
        head = rows[0].content if rows else None
        if isinstance(head, ThoughtContent | ToolContent) and not head.opened:
            entry.toggle(hit.part)
            rows = entry.part_rows(hit.part)
        number = hit.number
        for row in rows:
            count = _text_of(row).count(self.needle)
            if number < count:
                return row, number
            number -= count
        return (rows[-1], 0) if rows else None

    def marks(self, row: Row) -> tuple[str, int]:
        """What to mark in a row, and which of the marks is the current one; -1 for none."""
        if not self.needle or self.current is None:
            return self.needle, -1
        found = self.row_of(self.current) if row.entry.message.id == self.current.message_id else None
        return self.needle, found[1] if found is not None and found[0] is row else -1


def _hits(entry: Entry, needle: str) -> list[Hit]:
    return [
        Hit(entry.message.id, index, number)
        for index, text in enumerate(entry.texts())
        for number in range(folded(text).count(needle))
    ]


def _text_of(row: Row) -> str:
    match row.content:
        case SegmentContent() as content:
            return folded(content.segment.source)
        case SystemContent():
            return folded(row.entry.markdown())
        case _:
            return ""
