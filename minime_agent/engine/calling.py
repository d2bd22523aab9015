"""The tool calls of an answer, however the model put them: as calls, as text, or to be asked for again."""

from __future__ import annotations

from collections.abc import Sequence

from minime_agent.engine.answer import Answer
from minime_agent.engine.asking import ask
from minime_agent.engine.errors import ModelError
from minime_agent.engine.memory import Ground, Memory
from minime_agent.engine.messages import ToolCall, fresh_ids
from minime_agent.engine.request import Force
from minime_agent.engine.textcalls import TAGS, calls_in, looks_like_call
from minime_agent.ui.events import Sink


class Caller:
    """Finds the calls in the answers of one turn."""

    def __init__(self, ground: Ground, memory: Memory, sink: Sink) -> None:
        self._ground = ground
        self._memory = memory
        self._sink = sink

    async def calls(self, answer: Answer) -> tuple[Answer, Sequence[ToolCall]]:
        """The answer and its calls; the answer is another one where this one had to be asked for again.

        Text that was held back and is no call has been shown afterwards. Raises `ModelError` when it was
        meant as one and cannot be read: it is shown and kept all the same.
        """
        if found := self._found(answer):
            await answer.show_held()
            return answer, found
        if written := self._written(answer):
            return answer, written
        if self._ground.settings.guards.forced_call and looks_like_call(answer.held):
            for force in self._ways(answer.held):
                forced = await self._forced(force)
                if forced is not None:
                    return forced
            await answer.show_held()
            self._memory.add(answer.message())
            raise ModelError(
                "the model wrote a tool call that can't be read, and wrote no other when it was made to: "
                "ask again in smaller steps, or use another model"
            )
        await answer.show_held()
        return answer, ()

    def _found(self, answer: Answer) -> Sequence[ToolCall]:
        return answer.calls(self._memory.history)

    def _written(self, answer: Answer) -> Sequence[ToolCall]:
        if answer.finish_reason == "length" or answer.runaway:
            return []  # it may read as whole where more was to come; a cut call is never run
        lenient = self._ground.settings.guards.unknown_tool
        functions = calls_in(answer.held, self._ground.toolbox, lenient=lenient)
        if functions:
            answer.drop_held()
        fresh = fresh_ids(self._memory.history)
        return [ToolCall(next(fresh), function) for function in functions]

    def _ways(self, held: str) -> Sequence[Force]:
        """By the tag that the model used; Qwen's where it used none."""
        tag = next((tag for tag in TAGS if held.lstrip().startswith(tag)), "<tool_call>")
        if self._ground.client.endpoint.provider.serves_props:
            return (f"{'<tool_call>' if tag == '<function=' else tag}\n", "schema")
        return ("schema",)

    async def _forced(self, force: Force) -> tuple[Answer, Sequence[ToolCall]] | None:
        before = len(self._memory.history)
        try:
            answer = await ask(self._ground, self._memory, self._sink, force=force)
        except ModelError:
            # The answer that there is says more than this one's failure, and follows no other one.
            del self._memory.history[before:]
            self._memory.save()
            return None
        calls = self._found(answer) or self._written(answer)
        return (answer, calls) if calls else None
