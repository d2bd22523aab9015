"""What the person saw of a turn, as it goes into the session's file beside what the model reads."""

from __future__ import annotations

from minime_agent.engine.messages import Message
from minime_agent.store.entries import (
    AssistantMessage,
    Call,
    Details,
    StoredMessage,
    Text,
    Tokens,
    ToolResultMessage,
    UserMessage,
)
from minime_agent.ui.events import Event, Permission, Sink, ToolEnd, ToolStart, UsageReport


class Observer:
    """Remembers the newest call and the newest count of tokens until their message is stored."""

    def __init__(self) -> None:
        self.answered_by: tuple[str, str] = ("", "")
        """Provider and model of what is said from now on."""
        self._start: ToolStart | None = None
        self._end: ToolEnd | None = None
        self._usage: UsageReport | None = None

    def see(self, event: Event) -> None:
        """Takes what a façade is shown."""
        match event:
            case ToolStart():
                self._start, self._end = event, None
            case ToolEnd():
                self._end = event
            case UsageReport():
                self._usage = event
            case _:
                pass

    def stored(self, message: Message, tool: str) -> StoredMessage:
        """A message as the file has it; `tool` is the name of the tool that a result is of."""
        text = () if message.content is None else (Text(message.content),)
        match message.role:
            case "tool":
                return self._result(message.tool_call_id or "", tool, text)
            case "assistant":
                calls = (Call(c.id, c.function.name, c.function.arguments) for c in message.tool_calls)
                usage, self._usage = self._usage, None
                return AssistantMessage((*text, *calls), *self.answered_by, usage=_tokens(usage))
            case _:
                return UserMessage(text)

    def _result(self, call_id: str, tool: str, text: tuple[Text, ...]) -> ToolResultMessage:
        start, end = self._start, self._end
        if start is None or end is None or start.id != call_id:
            return ToolResultMessage(call_id, tool, text)
        places = (*start.locations, *end.locations)
        paths = tuple(dict.fromkeys(place.path for place in places))
        details = Details(start.title, start.kind, end.exit_code, paths)
        return ToolResultMessage(call_id, tool, text, end.failed, details)


class ObservedSink:
    """A turn's sink whose events are noted on their way."""

    def __init__(self, sink: Sink, observer: Observer) -> None:
        self._sink = sink
        self._observer = observer

    async def emit(self, event: Event) -> None:
        """Notes the event and passes it on."""
        self._observer.see(event)
        await self._sink.emit(event)

    async def allow(self, call: ToolStart) -> Permission:
        """What the sink says."""
        return await self._sink.allow(call)


def _tokens(usage: UsageReport | None) -> Tokens | None:
    if usage is None:
        return None
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    return Tokens(usage.prompt_tokens - cached, usage.completion_tokens, cached)
