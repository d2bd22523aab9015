"""Where the reader was in each conversation, so that another one in between loses no place."""

from __future__ import annotations

from dataclasses import dataclass

from sidekicks.ui.conversation.model import ConversationModel
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.conversation.scrolling import Scrolling


@dataclass(frozen=True, slots=True)
class _Place:
    """A row of a message, and where its top was in the viewport."""

    message: str
    row: int
    top: int


class Places:
    """Remembers for each channel where its reader left; those who were at the end come back to the end."""

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}

    def keep(self, model: ConversationModel, scrolling: Scrolling) -> None:
        """Remembers the place in the conversation that is shown."""
        place = scrolling.place_read
        if place is None or not place[0].alive:
            self._places.pop(model.channel, None)
            return
        row, top = place
        self._places[model.channel] = _Place(row.entry.message.id, row.index, top)

    def find(self, model: ConversationModel) -> tuple[Row, int] | None:
        """The place in the conversation that is shown now; None: at its end, or no longer loaded."""
        place = self._places.get(model.channel)
        entry = model.get(place.message) if place is not None else None
        if place is None or entry is None:
            return None
        return entry.rows[min(place.row, len(entry.rows) - 1)], place.top
