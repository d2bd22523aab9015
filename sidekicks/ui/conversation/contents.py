"""What a row of the conversation shows: small frozen values, compared to know whether a row has changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from sidekicks.models import ImagePart, Message, PermissionRequest, PlanPart, ToolPart
from sidekicks.ui.conversation.segments import Segment


@dataclass(frozen=True, slots=True)
class Author:
    """Who is speaking, as the reader knows them."""

    name: str
    icon: str = ""


@dataclass(frozen=True, slots=True)
class DayContent:
    """The first message of a day follows."""

    day: date


@dataclass(frozen=True, slots=True)
class NewContent:
    """What follows was not read before this conversation was opened."""


@dataclass(frozen=True, slots=True)
class AuthorContent:
    """Who says what follows, when, and what it took. `seconds` is None while it is not known."""

    author: Author
    time: str
    steps: int = 0
    seconds: float | None = None
    running: bool = False
    queued: bool = False
    date: str = ""
    """The full date and time."""


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """A piece of Markdown; `markdown` is the segment's text with its links resolved."""

    segment: Segment
    markdown: str
    muted: bool = False
    growing: bool = False


@dataclass(frozen=True, slots=True)
class ThoughtContent:
    """The line that folds reasoning away."""

    part: int
    seconds: float | None
    running: bool
    opened: bool


@dataclass(frozen=True, slots=True)
class ToolContent:
    """The line of a tool call."""

    part: int
    tool: ToolPart
    opened: bool


@dataclass(frozen=True, slots=True)
class ToolDetailContent:
    """What a tool call was given and what it gave; `whole` shows an output without a cap."""

    part: int
    tool: ToolPart
    whole: bool = False


@dataclass(frozen=True, slots=True)
class ImageContent:
    """An image, of a message or of what a tool gave."""

    image: ImagePart


@dataclass(frozen=True, slots=True)
class PlanContent:
    """A plan as a checklist."""

    plan: PlanPart


@dataclass(frozen=True, slots=True)
class SystemContent:
    """Something that happened in the channel."""

    message: Message
    agent: str


@dataclass(frozen=True, slots=True)
class EndContent:
    """How an answer ended, when that is worth a word; `unanswered`: a message of the user that got none."""

    message: Message
    agent: str
    unanswered: bool = False


@dataclass(frozen=True, slots=True)
class PermissionContent:
    """A question to the user."""

    request: PermissionRequest
    agent: str


Content: TypeAlias = (
    DayContent
    | NewContent
    | AuthorContent
    | SegmentContent
    | ThoughtContent
    | ToolContent
    | ToolDetailContent
    | PlanContent
    | ImageContent
    | SystemContent
    | EndContent
    | PermissionContent
)
