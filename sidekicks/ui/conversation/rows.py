"""A row: one thing of a message that is laid out on its own, whether or not it is a widget right now."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sidekicks.ui.conversation.contents import (
    AuthorContent,
    Content,
    DayContent,
    EndContent,
    ImageContent,
    NewContent,
    PermissionContent,
    PlanContent,
    SegmentContent,
    SystemContent,
    ToolDetailContent,
)
from sidekicks.ui.theme import SIZES

if TYPE_CHECKING:
    from sidekicks.ui.conversation.entry import Entry

_LINE_CHARACTERS = 100


@dataclass(slots=True, eq=False)
class Row:
    """A content at its place in a message. `height` is in pixels, with the gap; 0 before it was measured."""

    entry: Entry
    content: Content
    index: int = 0
    gap: int = 0
    height: int = 0
    stale: bool = field(default=True)

    def show(self, content: Content) -> None:
        """Replaces the content."""
        if content != self.content:
            self.content = content
            self.stale = True

    @property
    def alive(self) -> bool:
        """Whether the row still is where it says it is."""
        rows = self.entry.rows
        return self.index < len(rows) and rows[self.index] is self

    def estimate(self, zoom: float) -> float:
        """Its height with the gap above it, as well as it is known."""
        return self.height or (self.gap + guess(self.content)) * zoom


def guess(content: Content) -> int:
    """About how high a content is at zoom 1."""
    match content:
        case SegmentContent():
            text = content.markdown
            return SIZES.line * (text.count("\n") + 1 + len(text) // _LINE_CHARACTERS)
        case PlanContent():
            return SIZES.xl * (len(content.plan.entries) + 1)
        case PermissionContent() | ToolDetailContent() | ImageContent():
            return 160
        case _:
            return SIZES.xl


def gap_between(before: Content | None, content: Content) -> int:
    """The space above a row, at zoom 1."""
    match content:
        case DayContent():
            return SIZES.xl if before is not None else SIZES.s
        case NewContent():
            return SIZES.s if isinstance(before, DayContent) else SIZES.m
        case AuthorContent():
            return SIZES.s if isinstance(before, DayContent | NewContent) else SIZES.xl
        case SystemContent():
            return SIZES.m
        case SegmentContent() if isinstance(before, AuthorContent):
            return SIZES.xs
        case SegmentContent():
            return _segment_gap(content)
        case PermissionContent() | PlanContent():
            return SIZES.m
        case EndContent() | ImageContent():
            return SIZES.s
        case ToolDetailContent():
            return SIZES.xs
        case _ if isinstance(before, AuthorContent):
            return 2
        case _:
            return (
                SIZES.s
                if isinstance(before, SegmentContent | PlanContent | ToolDetailContent | ImageContent)
                else 0
            )


def _segment_gap(content: SegmentContent) -> int:
    match content.segment.join:
        case "fence" | "table" | "text":
            return 0
        case "list":
            return SIZES.xs
        case "":
            return SIZES.l if content.markdown.startswith("#") else SIZES.s
