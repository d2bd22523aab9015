"""A stored conversation as the updates that a client shows again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from minime_agent.acp.blocks import fenced
from minime_agent.acp.wire import tools, updates
from minime_agent.acp.wire.content import TextContent
from minime_agent.store.entries import (
    AssistantMessage,
    Call,
    Entry,
    MessageEntry,
    Text,
    ToolResultMessage,
    UserMessage,
)


def replay(path: Iterable[Entry], numbers: Iterator[int]) -> Iterator[updates.SessionUpdate]:
    """What was said and done on a branch, oldest first. `numbers` counts the calls of the session."""
    entries = [entry for entry in path if isinstance(entry, MessageEntry)]
    results = _results(entries)
    for place, entry in enumerate(entries):
        match entry.message:
            case UserMessage(content):
                yield from (
                    updates.UserMessageChunk(TextContent(block.text), message_id=entry.id)
                    for block in content
                )
            case AssistantMessage(content):
                for block in content:
                    if isinstance(block, Text):
                        yield updates.AgentMessageChunk(TextContent(block.text), message_id=entry.id)
                    else:
                        yield _call(block, results.get((place, block.id)), f"call-{next(numbers)}")
            case ToolResultMessage():
                pass  # shown with its call


def _results(entries: list[MessageEntry]) -> dict[tuple[int, str], ToolResultMessage]:
    """The results, by the place of the answer that called and the call's id: servers use ids again."""
    found: dict[tuple[int, str], ToolResultMessage] = {}
    answer = 0
    for place, entry in enumerate(entries):
        if isinstance(entry.message, ToolResultMessage):
            found.setdefault((answer, entry.message.tool_call_id), entry.message)
        else:
            answer = place
    return found


def _call(call: Call, result: ToolResultMessage | None, call_id: str) -> updates.ToolCall:
    details = result.details if result else None
    output = "".join(block.text for block in result.content) if result else ""
    return updates.ToolCall(
        call_id,
        details.title if details else call.name,
        kind=details.kind if details else "other",
        status="failed" if result is None or result.is_error else "completed",
        content=(tools.Content(TextContent(fenced(output))),) if output else (),
        locations=tuple(tools.ToolCallLocation(path) for path in details.paths) if details else None,
        raw_input=_arguments(call),
        raw_output={"output": output} if result else None,
    )


def _arguments(call: Call) -> object:
    try:
        return msgspec.json.decode(call.arguments)
    except msgspec.DecodeError:
        return call.arguments
