"""An agent's secrets in what it said: an answer is kept without them, whatever a command of it printed."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sidekicks.models import Diff, Part, PlanEntry, PlanPart, TextPart, ThoughtPart, ToolPart

Hide = Callable[[str], str]
"""A text without secrets."""


def without_secrets(part: Part, hide: Hide) -> Part:
    """The part as it is kept: every text in it that an agent or its tools wrote goes through `hide`."""
    match part:
        case TextPart(text=text) | ThoughtPart(text=text):
            return msgspec.structs.replace(part, text=hide(text))
        case ToolPart():
            return msgspec.structs.replace(
                part,
                title=hide(part.title),
                input=hide(part.input),
                output=hide(part.output),
                diffs=tuple(_diff(diff, hide) for diff in part.diffs),
            )
        case PlanPart():
            return PlanPart(entries=tuple(_entry(entry, hide) for entry in part.entries))
        case _:
            return part


def _diff(diff: Diff, hide: Hide) -> Diff:
    return msgspec.structs.replace(diff, old_text=hide(diff.old_text), new_text=hide(diff.new_text))


def _entry(entry: PlanEntry, hide: Hide) -> PlanEntry:
    return msgspec.structs.replace(entry, content=hide(entry.content))
