"""One answer of the model as it streams in: text, reasoning, tool calls, counts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from minime_agent.config.settings import Guards
from minime_agent.engine.chunks import CallDelta, Chunk, Delta, Timings, Usage
from minime_agent.engine.messages import FunctionCall, Message, ToolCall, fresh_ids
from minime_agent.engine.runaway import RunawayGuard
from minime_agent.engine.textcalls import CallText
from minime_agent.engine.think import Piece, ThinkFilter
from minime_agent.ui.events import (
    ComposingTool,
    PromptProgress,
    ReasoningDelta,
    Sink,
    TextDelta,
    UsageReport,
)


class _Call:
    """A tool call in the making."""

    def __init__(self, identity: str) -> None:
        self.id = identity
        self.name = ""
        self.length = 0
        self._pieces: list[str] = []
        self._guard = RunawayGuard()

    @property
    def arguments(self) -> str:
        return "".join(self._pieces)

    def add(self, piece: str, *, guarded: bool) -> None:
        self.length += len(piece)
        self._pieces.append(piece)
        if guarded:
            self._guard.feed(piece)


class Answer:
    """Takes chunks, shows what they bring, and keeps what the history needs; reasoning is never kept."""

    def __init__(
        self, sink: Sink, guards: Guards, *, starts_inside: bool = False, holds_calls: bool = False
    ) -> None:
        """`starts_inside`: it begins with reasoning; `holds_calls`: text that may be a call is not shown."""
        self._sink = sink
        self._guards = guards
        self._think = ThinkFilter(starts_inside) if guards.think else None
        self._held = CallText(guarded=guards.runaway) if holds_calls and guards.text_calls else None
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._usage: Usage | None = None
        self._timings: Timings | None = None
        self.finish_reason: str | None = None
        self.runaway = ""
        """Why the last call was broken off, where it was."""
        self.shown = False
        """Whether anything of the answer proper reached the person."""
        self.template_opens_think = False
        """Whether a closing tag came without an opening one: later answers start inside the reasoning."""

    @property
    def text(self) -> str:
        """The answer without reasoning."""
        return "".join(self._text).strip("\n")

    @property
    def reasoned(self) -> bool:
        """Whether the model reasoned."""
        return bool(self._reasoning)

    def calls(self, history: Sequence[Message]) -> Sequence[ToolCall]:
        """The calls, with ids that are unique in the conversation that they follow."""
        calls: list[ToolCall] = []
        taken = {call.id for message in history for call in message.tool_calls}
        fresh = fresh_ids(history)
        for call in self._calls:
            identity = (
                call.id
                if call.id and call.id not in taken
                else next(one for one in fresh if one not in taken)
            )
            taken.add(identity)
            calls.append(ToolCall(identity, FunctionCall(call.name, call.arguments)))
        return calls

    def message(self, calls: Sequence[ToolCall] = ()) -> Message:
        """The answer as the history keeps it."""
        return Message("assistant", self.text or (None if calls else ""), tuple(calls))

    def usage(self, window: int) -> UsageReport | None:
        """The server's counts, where it gave them."""
        if self._usage is None:
            return None
        details, timings = self._usage.prompt_tokens_details, self._timings or Timings()
        cached = (details.cached_tokens if details else None) or timings.cache_n or 0
        return UsageReport(
            self._usage.prompt_tokens or 0,
            self._usage.completion_tokens or 0,
            cached,
            window,
            timings.prompt_per_second,
            timings.predicted_per_second,
        )

    async def take(self, chunk: Chunk) -> None:
        """Takes one chunk and shows what it brings."""
        self._usage = chunk.usage or self._usage
        self._timings = chunk.timings or self._timings
        if (progress := chunk.prompt_progress) is not None:
            await self._sink.emit(PromptProgress(progress.processed, progress.total))
        for choice in chunk.choices or ():
            self.finish_reason = choice.finish_reason or self.finish_reason
            if (delta := choice.delta or choice.message) is not None:
                await self._delta(delta)

    async def end(self) -> None:
        """Shows what was held back; to be called once, when the stream is over."""
        if self._think is not None:
            await self._pieces(self._think.end())
            if self._think.never_closed and not self._text and not self._calls and not self.held:
                await self._say("".join(self._reasoning))

    @property
    def held(self) -> str:
        """What may be a call and was not shown."""
        return self._held.held if self._held is not None else ""

    def drop_held(self) -> None:
        """It was a call: it is no part of the text."""
        if self._held is not None:
            self._held.take()

    async def show_held(self) -> None:
        """It was none: it is shown."""
        if self._held is not None and (text := self._held.take()):
            await self._show(text)

    async def _delta(self, delta: Delta) -> None:
        if reasoning := delta.reasoning_content or delta.reasoning:
            await self._reason(reasoning)
        if delta.content:
            if self._think is None:
                await self._say(delta.content)
            else:
                await self._pieces(self._think.feed(delta.content))
        for call in delta.tool_calls or ():
            await self._call(call)

    async def _pieces(self, pieces: list[Piece]) -> None:
        for kind, text in pieces:
            match kind:
                case "text":
                    await self._say(text)
                case "reasoning":
                    await self._reason(text)
                case "lone_close":
                    # It was shown, which cannot be undone; it never becomes part of the history.
                    self._reasoning += self._text
                    self._text.clear()
                    if self._held is not None:
                        self._reasoning.append(self._held.take())
                        self._held = CallText(guarded=self._guards.runaway)
                    self.template_opens_think = True

    async def _say(self, text: str) -> None:
        if self._held is not None:
            text = self._held.feed(text)
            if length := self._held.length:
                await self._sink.emit(ComposingTool("", length))
        if text:
            await self._show(text)

    async def _show(self, text: str) -> None:
        self._text.append(text)
        self.shown = True
        await self._sink.emit(TextDelta(text))

    async def _reason(self, text: str) -> None:
        self._reasoning.append(text)
        await self._sink.emit(ReasoningDelta(text))

    async def _call(self, delta: CallDelta) -> None:
        call = self._by_index.get(delta.index or 0)
        # Some servers give no index, or the index 0, to every call of one answer.
        if call is None or (delta.id and delta.id != call.id and call.name):
            call = self._by_index[delta.index or 0] = _Call(delta.id or "")
            self._calls.append(call)
        if (function := delta.function) is None:
            return
        call.name = call.name or function.name or ""
        arguments = function.arguments
        if isinstance(arguments, dict):
            arguments = msgspec.json.encode(arguments).decode()
        call.add(arguments or "", guarded=self._guards.runaway)
        await self._sink.emit(ComposingTool(call.name, call.length))
