"""Running the tool calls of one answer; what is wrong with a call becomes text for the model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from minime_agent.config.settings import Settings
from minime_agent.detector.repeats import WARNING
from minime_agent.engine.arguments import UnreadableArguments, decode, endless
from minime_agent.engine.errors import ModelError, Stuck
from minime_agent.engine.memory import Memory
from minime_agent.engine.messages import ToolCall, tool_result
from minime_agent.engine.toolnames import meant
from minime_agent.tools.arguments import coerce
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.toolbox import Toolbox
from minime_agent.tools.workspace import UnusablePathError
from minime_agent.ui.events import Sink, ToolEnd, ToolStart

_UNREADABLE_AT_MOST = 2
_WARM_CALLS = 2
_INTERRUPTED = "[interrupted: the person stopped the turn before this call was done]"
_NOT_RUN = "[not run: the turn ended before this call]"
_REJECTED = "[the person did not allow this call. Do not repeat it: go another way, or ask what they want]"


class TurnCancelled(Exception):  # noqa: N818 (an answer of the person)
    """The person cancelled the turn in answer to a permission."""


class ToolRunner:
    """Runs the calls of one turn, one after the other."""

    def __init__(self, settings: Settings, toolbox: Toolbox, memory: Memory, sink: Sink) -> None:
        self._settings = settings
        self._toolbox = toolbox
        self._memory = memory
        self._sink = sink
        self._unreadable = 0
        self._started: ToolCall | None = None

    async def run(
        self, calls: Sequence[ToolCall], *, at_limit: bool, runaway: str = "", note: str = ""
    ) -> None:
        """Runs the calls; whatever happens, each has a result in the history afterwards.

        `at_limit`: the answer was cut at `max_tokens`; `runaway`: why the last call was broken off. `note` is
        for the model and follows the last result.
        Raises `Stuck`, `TurnCancelled`, or `ModelError` when the model keeps writing calls that cannot be
        read.
        """
        waiting = list(calls)
        left = _NOT_RUN
        try:
            while waiting:
                call = waiting[0]
                broken_off = runaway if len(waiting) == 1 else ""
                result = await self._result(call, at_limit=at_limit, runaway=broken_off)
                stuck, output = self._watched(call, result)
                await self._end(call, result, output)
                waiting.pop(0)
                self._append(call, f"{output}\n{note}" if note and not waiting else output)
                if stuck:
                    raise Stuck(_stuck(call))
        except asyncio.CancelledError:
            left = _INTERRUPTED
            raise
        finally:
            for call in waiting:
                self._append(call, left)
            if self._started is not None:
                await self._end(self._started, ToolResult(left, failed=True), left)

    def _watched(self, call: ToolCall, result: ToolResult) -> tuple[bool, str]:
        """Whether the model is stuck, and the output with the warning that it repeats itself."""
        if not self._settings.guards.loop:
            return False, result.output
        function = call.function
        verdict = self._memory.detector.observe(
            function.name, function.arguments, result.output, refused_path=result.refused_path
        )
        if verdict == "fine":
            return False, result.output
        if self._settings.guards.adaptive_temperature:
            self._memory.warm_calls = _WARM_CALLS
        return verdict == "stuck", f"{result.output}\n{WARNING}"

    def _append(self, call: ToolCall, output: str) -> None:
        self._memory.add(tool_result(call.id, output))

    async def _result(self, call: ToolCall, *, at_limit: bool, runaway: str) -> ToolResult:
        name = call.function.name
        limit = self._settings.sampling.max_tokens
        guards = self._settings.guards
        try:
            if runaway:
                raise endless(name, runaway)
            arguments = decode(call.function.arguments, name, limit, at_limit=at_limit)
        except UnreadableArguments as problem:
            await self._start(ToolStart(call.id, name, name, "other", {}), call)
            self._count_unreadable(name, problem)
            return ToolResult(str(problem), failed=True)
        tool = meant(name, self._toolbox, arguments, lenient=guards.unknown_tool)
        if tool is not None and guards.arguments:
            arguments = coerce(arguments, tool.schema)
        try:
            if tool is None:
                names = ", ".join(self._toolbox.names) or "none"
                raise ToolFailure(f"[error: there is no tool named {name!r}; your tools are: {names}]")
            prepared = await tool.prepare(arguments, self._memory.workspace)
        except (ToolFailure, UnusablePathError) as failure:
            await self._start(ToolStart(call.id, name, name or "(no name)", "other", arguments), call)
            path = failure.path if isinstance(failure, ToolFailure) else ""
            return ToolResult(str(failure), failed=True, refused_path=path)
        return await self._allowed(call, arguments, prepared)

    async def _allowed(self, call: ToolCall, arguments: dict[str, Any], prepared: PreparedCall) -> ToolResult:
        start = ToolStart(
            call.id,
            call.function.name,
            prepared.title,
            prepared.kind,
            arguments,
            prepared.locations,
            prepared.diffs,
        )
        await self._start(start, call)
        match await self._sink.allow(start):
            case "allow":
                return await prepared.run(self._sink, call.id)
            case "reject":
                return ToolResult(_REJECTED, failed=True)
            case "cancelled":
                raise TurnCancelled

    async def _start(self, start: ToolStart, call: ToolCall) -> None:
        self._started = call
        await self._sink.emit(start)

    async def _end(self, call: ToolCall, result: ToolResult, output: str) -> None:
        self._started = None
        name, code = call.function.name, result.exit_code
        end = ToolEnd(call.id, name, output, result.failed, code, result.diffs, result.locations)
        await self._sink.emit(end)

    def _count_unreadable(self, tool: str, problem: UnreadableArguments) -> None:
        """Gives a call back twice at most: a model that is told a third time does it a fourth."""
        self._unreadable += 1
        if self._unreadable <= _UNREADABLE_AT_MOST:
            return
        limit = self._settings.sampling.max_tokens
        if problem.endless:
            raise ModelError(
                f"the model wrote arguments for {tool} that do not end, {self._unreadable} times: "
                "ask again in smaller steps, or use another model"
            )
        if problem.cut:
            raise ModelError(
                f"the model hit max_tokens ({limit}) while writing a call of {tool}, "
                f"{self._unreadable} times: raise sampling.max_tokens, or ask for less at once"
            )
        raise ModelError(
            f"the model wrote arguments for {tool} that are not valid JSON, {self._unreadable} times: "
            "ask again in smaller steps, or use another model"
        )


def _stuck(call: ToolCall) -> str:
    return (
        "the model repeats one call without any effect "
        f"({call.function.name} {call.function.arguments[:200]}): "
        "the turn was ended; tell it what to do differently"
    )
