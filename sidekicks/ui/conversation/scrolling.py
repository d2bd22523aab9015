"""Where rows stand in the viewport. The reader's place is a row and where its top is, never a sum of heights.

So whatever happens above, below or off screen moves nothing that is being read; estimates of heights only
ever show in the size of the scroll bar's handle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sidekicks.ui.conversation.contents import DayContent
from sidekicks.ui.conversation.model import ConversationModel
from sidekicks.ui.conversation.rows import Row

OVERSCAN = 200
"""Pixels above and below the viewport that are laid out too, so that scrolling finds them ready."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A row and the top of the gap above it, in the viewport."""

    row: Row
    top: int

    @property
    def end(self) -> int:
        """Where the row ends, in the viewport."""
        return self.top + self.row.height


def is_whole(placed: Sequence[Placed], rows: Sequence[Row], height: int) -> bool:
    """Whether all of these rows can be seen whole in a viewport of `height`."""
    found = [one for one in placed if one.row in rows]
    return (
        len(found) == len(rows)
        and min(one.top for one in found) >= 0
        and max(one.end for one in found) <= height
    )


class Scrolling:
    """Finds which rows are visible and where.

    `measure` lays a row out and gives its height with the gap above it, `gap` gives that gap alone: the
    reader's place is below it, for it changes with what is above.
    """

    def __init__(
        self, model: ConversationModel, measure: Callable[[Row], int], gap: Callable[[Row], int]
    ) -> None:
        self._model = model
        self._measure = measure
        self._gap = gap
        self.at_end = True
        self._anchor: Row | None = None
        self._top = 0

    def to_end(self) -> None:
        """Goes to the bottom, and stays there."""
        self.at_end = True

    def to_row(self, row: Row, top: int) -> None:
        """Puts a row at `top`, and keeps it there."""
        self.at_end = False
        self._anchor, self._top = row, top

    @property
    def place_read(self) -> tuple[Row, int] | None:
        """The reader's place: a row and its top in the viewport; None at the end."""
        if self.at_end or self._anchor is None:
            return None
        return self._anchor, self._top

    def by(self, pixels: int) -> None:
        """Scrolls: down if positive."""
        if pixels:
            self.at_end = False
            self._top -= pixels

    def to_height(self, pixels: int, zoom: float) -> None:
        """Goes to the message that is about so far below the beginning of all."""
        above = 0.0
        for entry, height in zip(self._model.entries, self._model.heights(zoom), strict=True):
            if above + height > pixels:
                self.to_row(entry.rows[0], round(above - pixels))
                break
            above += height

    def extent(self, placed: Sequence[Placed], pad: int, zoom: float) -> tuple[float, float]:
        """About how high all is, and how much of it is above the viewport that shows `placed`; in pixels."""
        heights = self._model.heights(zoom)
        total = sum(heights) + 2 * pad
        if not placed:
            return total, 0.0
        first = placed[0]
        above = sum(heights[: self._model.place(first.row.entry)])
        above += sum(row.estimate(zoom) for row in first.row.entry.rows[: first.row.index])
        return total, pad + above - first.top

    def place(self, height: int, pad: int) -> list[Placed]:
        """The rows to be shown in a viewport of `height`, top to bottom, with `pad` before and after all."""
        if self._model.last() is None:
            self._anchor = None
            return []
        placed = self._from_end(height, pad) if self.at_end else self._from_anchor(height, pad)
        self._keep(placed)
        return placed

    def _from_end(self, height: int, pad: int) -> list[Placed]:
        row, top = self._model.last(), height - pad
        placed: list[Placed] = []
        while row is not None and top > -OVERSCAN:
            top -= self._measure(row)
            placed.append(Placed(row, top))
            row = self._model.before(row)
        placed.reverse()
        if row is None and top > pad:
            return _moved(placed, pad - top)
        return placed

    def _from_anchor(self, height: int, pad: int) -> list[Placed]:
        anchor = self._living_anchor()
        start = self._top - self._gap(anchor)
        below = self._downwards(anchor, start, height + OVERSCAN)
        end = below[-1].top + self._measure(below[-1].row)
        if self._model.after(below[-1].row) is None and end <= height - pad:
            self.at_end = True
            return self._from_end(height, pad)
        above: list[Placed] = []
        row, top = self._model.before(anchor), start
        while row is not None and top > -OVERSCAN:
            top -= self._measure(row)
            above.append(Placed(row, top))
            row = self._model.before(row)
        above.reverse()
        if row is None and top > pad:
            self._top += pad - top
            return self._from_anchor(height, pad)
        return above + below

    def _downwards(self, row: Row, top: int, limit: int) -> list[Placed]:
        placed = [Placed(row, top)]
        top += self._measure(row)
        following = self._model.after(row)
        while following is not None and top < limit:
            placed.append(Placed(following, top))
            top += self._measure(following)
            following = self._model.after(following)
        return placed

    def _living_anchor(self) -> Row:
        anchor = self._anchor
        if anchor is not None and self._model.get(anchor.entry.message.id) is anchor.entry:
            if anchor.alive:
                return anchor
            rows = anchor.entry.rows
            return rows[min(anchor.index, len(rows) - 1)]
        last = self._model.last()
        assert last is not None
        return last

    def _keep(self, placed: list[Placed]) -> None:
        """Takes the topmost row that can be seen as the reader's place."""
        visible = [one for one in placed if one.end > 0]
        # A day's name goes away when older messages of that day come.
        lasting = [one for one in visible if not isinstance(one.row.content, DayContent)]
        for one in lasting or visible:
            self._anchor, self._top = one.row, one.top + self._gap(one.row)
            return


def _moved(placed: list[Placed], by: int) -> list[Placed]:
    return [Placed(one.row, one.top + by) for one in placed]
