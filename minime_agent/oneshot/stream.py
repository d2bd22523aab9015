"""A turn as JSON lines, with the events' names of the Pi agent, so that its hosts read mm's output, too.

An update of a message holds what is new alone, not the message so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from minime_agent.ui.events import (
    CompactionEnd,
    CompactionStart,
    ComposingTool,
    Event,
    Notice,
    PlanChanged,
    PromptProgress,
    ReasoningDelta,
    Steered,
    TextDelta,
    ToolEnd,
    ToolRunning,
    ToolStart,
    UsageReport,
)

Line = dict[str, Any]


class EventLines:
    """Makes lines of the events of one agent run; `start` comes before them, `end` after."""

    def __init__(self) -> None:
        self._in_turn = False
        self._open = ""
        self._is_speaking = False
        self._content: list[Line] = []
        self._usage: UsageReport | None = None
        self._results: list[Line] = []

    def start(self, question: str) -> Iterator[Line]:
        """Before the first event."""
        yield {"type": "agent_start"}
        yield from self._begin_turn()
        yield from self._said(question)

    def lines(self, event: Event) -> Iterator[Line]:
        """What an event adds."""
        match event:
            case TextDelta(text):
                yield from self._delta("text", text)
            case ReasoningDelta(text):
                yield from self._delta("thinking", text)
            case ComposingTool(name, characters):
                yield from self._speak()
                yield self._update({"type": "toolcall_delta", "toolName": name, "characters": characters})
            case ToolStart():
                yield from self._called(event)
            case ToolRunning(call, output):
                yield {"type": "tool_execution_update", "toolCallId": call, "partialResult": _result(output)}
            case ToolEnd():
                yield from self._ended(event)
            case Steered(text):
                yield from self._said(text)
            case UsageReport():
                self._usage = event
                yield {"type": "usage", **_builtins(event)}
            case CompactionStart():
                yield {"type": "compaction_start", **_builtins(event)}
            case CompactionEnd():
                yield {"type": "compaction_end", **_builtins(event)}
            case Notice() | PlanChanged() | PromptProgress():
                yield {"type": _OTHERS[type(event)], **_builtins(event)}

    def end(self, stop: str, error: str = "") -> Iterator[Line]:
        """After the last event, whatever ended the run."""
        yield from self._silence(stop, error)
        yield from self._end_turn()
        yield {"type": "agent_end", "willRetry": False}

    def _said(self, text: str) -> Iterator[Line]:
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        yield {"type": "message_start", "message": message}
        yield {"type": "message_end", "message": message}

    def _begin_turn(self) -> Iterator[Line]:
        if not self._in_turn:
            self._in_turn = True
            yield {"type": "turn_start"}

    def _end_turn(self) -> Iterator[Line]:
        if self._in_turn:
            self._in_turn = False
            yield {"type": "turn_end", "toolResults": self._results}
            self._results = []

    def _speak(self) -> Iterator[Line]:
        """The model says something: after its tools' results that is another turn."""
        if self._is_speaking:
            return
        if self._results:
            yield from self._end_turn()
        yield from self._begin_turn()
        self._is_speaking, self._content = True, []
        yield {"type": "message_start", "message": {"role": "assistant", "content": []}}

    def _silence(self, stop: str, error: str = "") -> Iterator[Line]:
        if not self._is_speaking and not error:
            return
        yield from self._speak()
        yield from self._close()
        self._is_speaking = False
        message: Line = {"role": "assistant", "content": self._content, "stopReason": stop}
        if error:
            message["errorMessage"] = error
        if self._usage is not None:
            message["usage"] = {"input": self._usage.prompt_tokens, "output": self._usage.completion_tokens}
        yield {"type": "message_end", "message": message}

    def _delta(self, kind: str, text: str) -> Iterator[Line]:
        yield from self._speak()
        if self._open != kind:
            yield from self._close()
            self._open = kind
            self._content.append({"type": kind, kind: ""})
            yield self._update({"type": f"{kind}_start"})
        self._content[-1][kind] += text
        yield self._update({"type": f"{kind}_delta", "delta": text})

    def _close(self) -> Iterator[Line]:
        if self._open:
            kind, self._open = self._open, ""
            yield self._update({"type": f"{kind}_end"})

    def _update(self, event: Line) -> Line:
        place = {"contentIndex": max(0, len(self._content) - 1)}
        return {"type": "message_update", "assistantMessageEvent": event | place}

    def _called(self, call: ToolStart) -> Iterator[Line]:
        arguments = msgspec.to_builtins(call.input)
        if not self._results:
            yield from self._speak()
            yield from self._close()
            self._content.append(
                {"type": "toolCall", "id": call.id, "name": call.name, "arguments": arguments}
            )
            yield from self._silence("toolUse")
        yield {
            "type": "tool_execution_start",
            "toolCallId": call.id,
            "toolName": call.name,
            "args": arguments,
            "title": call.title,
        }

    def _ended(self, call: ToolEnd) -> Iterator[Line]:
        result = {
            "toolCallId": call.id,
            "toolName": call.name,
            "result": _result(call.output),
            "isError": call.failed,
        }
        self._results.append(result)
        yield {"type": "tool_execution_end", **result}


_OTHERS = {Notice: "notice", PlanChanged: "plan_update", PromptProgress: "prompt_progress"}


def _result(output: str) -> Line:
    return {"content": [{"type": "text", "text": output}]}


def _builtins(event: Event) -> Line:
    return msgspec.to_builtins(event)
