"""What a person remembers of a message: the text that search looks through, and what is shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from sidekicks.history.query import Query, readable
from sidekicks.models import (
    FilePart,
    Found,
    ImagePart,
    Message,
    Part,
    PlanPart,
    TextPart,
    ThoughtPart,
    ToolPart,
)


def said(message: Message) -> str:
    """Texts, titles of tool calls, plans and names of files; no thoughts, nor what tools took and gave."""
    return readable("\n".join(filter(None, map(_said, message.parts))))


def shown(query: Query, messages: Sequence[Message]) -> list[Found]:
    """Messages that were found, as they are shown."""
    found: list[Found] = []
    for message in messages:
        snippet, spans = query.snippet(said(message))
        found.append(Found(channel=message.channel, message=message, snippet=snippet, spans=spans))
    return found


def found_in(query: Query, messages: Sequence[Message]) -> list[Found]:
    """Those of the messages that are what is looked for."""
    return shown(query, [message for message in messages if query.matches(said(message))])


def _said(part: Part) -> str:
    match part:
        case TextPart(text=text):
            return text
        case ToolPart(title=title):
            return title
        case PlanPart(entries=entries):
            return "\n".join(entry.content for entry in entries)
        case ImagePart(name=name):
            return name
        case FilePart(path=path):
            return PurePath(path).name
        case ThoughtPart():
            return ""
