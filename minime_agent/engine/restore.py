"""A stored branch as a history that the next request can be made of.

A history that comes back is sent as the bytes that it was sent as before: the server has read them already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from minime_agent.compact.plan import Compaction as Plan
from minime_agent.engine.messages import FunctionCall, Message, ToolCall, tool_result
from minime_agent.store.entries import (
    AssistantMessage,
    Call,
    Compaction,
    Entry,
    MessageEntry,
    StoredMessage,
    Text,
    ToolResultMessage,
    UserMessage,
)

_LOST = "[the result of this call was lost; run it again if you need it]"


class Kept(NamedTuple):
    """A message of the history, and the entry that it is stored in."""

    entry_id: str
    message: Message


def restored(path: Iterable[Entry]) -> list[Kept]:
    """The history of a branch.

    Valid wherever the branch was cut or damaged: it begins with a question, each question has an answer,
    each call one result, each result its call.
    """
    rows: list[Kept] = []
    for entry in path:
        if isinstance(entry, MessageEntry) and (message := _message(entry.message)):
            rows.append(Kept(entry.id, message))
        elif isinstance(entry, Compaction):
            plan = _plan(entry, rows)
            rows = compacted(rows, plan, plan.apply([row.message for row in rows]), entry.id)
    return _valid(rows)


def compacted(rows: Sequence[Kept], plan: Plan, messages: Sequence[Message], entry_id: str) -> list[Kept]:
    """The rows of the history `messages` that a plan led to; the notes have the plan's entry."""
    left = rows[plan.first_kept :] if plan.notes else rows
    ids = [entry_id] * (len(messages) - len(left)) + [row.entry_id for row in left]
    return [Kept(*row) for row in zip(ids, messages, strict=True)]


def _plan(entry: Compaction, rows: Sequence[Kept]) -> Plan:
    """The plan that was written; without its summary when nobody can tell any more what it stands for."""
    if entry.first_kept_entry_id is None:
        return Plan(entry.masked, entry.summary, len(rows))
    ids = [row.entry_id for row in rows]
    if entry.first_kept_entry_id not in ids:
        return Plan(entry.masked)
    return Plan(entry.masked, entry.summary, ids.index(entry.first_kept_entry_id))


def _message(message: StoredMessage) -> Message | None:
    """The message that was stored; None for an error, which no model is told."""
    texts = [block.text for block in message.content if isinstance(block, Text)]
    text = "\n".join(texts) if texts else None
    match message:
        case UserMessage():
            return Message("user", text)
        case ToolResultMessage():
            return Message("tool", text, tool_call_id=message.tool_call_id)
        case AssistantMessage():
            calls = tuple(
                ToolCall(block.id, FunctionCall(block.name, block.arguments))
                for block in message.content
                if isinstance(block, Call)
            )
            return Message("assistant", text, calls) if message.content else None


def _valid(rows: Sequence[Kept]) -> list[Kept]:
    whole: list[Kept] = []
    at = 0
    while at < len(rows):
        row = rows[at]
        at += 1
        match row.message.role:
            case "user":
                if whole and whole[-1].message.role == "user":
                    whole.pop()
                whole.append(row)
            case "assistant" if whole:
                whole.append(row)
                results = _results(rows[at:])
                whole += [
                    results.get(call.id, Kept(row.entry_id, tool_result(call.id, _LOST)))
                    for call in row.message.tool_calls
                ]
            case _:
                pass  # a result is taken with its call; what came before the first question has none
    if whole and whole[-1].message.role == "user":
        whole.pop()
    return whole


def _results(rows: Sequence[Kept]) -> dict[str, Kept]:
    """The results that directly follow, by the ids of their calls."""
    found: dict[str, Kept] = {}
    for row in rows:
        if row.message.role != "tool":
            break
        found.setdefault(row.message.tool_call_id or "", row)
    return found
