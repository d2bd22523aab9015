"""The loop of one turn: ask the model, run the tools it calls, ask again, until it answers."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from minime_agent.engine.answer import Answer
from minime_agent.engine.asking import ask
from minime_agent.engine.calling import Caller
from minime_agent.engine.errors import ModelError
from minime_agent.engine.memory import Ground, Memory
from minime_agent.engine.messages import user, with_readable_calls
from minime_agent.engine.running import ToolRunner, TurnCancelled
from minime_agent.ui.events import Notice, Sink, Steered, TextDelta

StopReason: TypeAlias = Literal["end_turn", "max_tokens", "max_turn_requests", "cancelled"]

_LAST_CALL = (
    "[the limit of tool calls for this turn is reached; no tool can be called now. "
    "Say in a few sentences what is done and what remains]"
)


class Outcome(msgspec.Struct, frozen=True):
    """How a turn ended, and the answer's whole text.

    `cancelled` here means that the person answered a permission with "cancelled"; a turn that is stopped from
    outside raises `asyncio.CancelledError`.
    """

    stop: StopReason
    text: str


async def run_turn(ground: Ground, memory: Memory, sink: Sink) -> Outcome:
    """Runs the turn for the question that is the last message of the history.

    The history is appended to as things happen, so it is whole in every ending; what was steered and came too
    late for the last call is left in `memory.steering`. Raises `ModelError`, `Stuck`.
    """
    runner = ToolRunner(ground.settings, ground.toolbox, memory, sink)
    caller = Caller(ground, memory, sink)
    most = ground.settings.max_turns
    for step in range(1, most + 1):
        await _hand_over(memory, sink)
        answer, calls = await caller.calls(await ask(ground, memory, sink))
        if not calls:
            outcome = await _finish(answer, ground, memory, sink)
            if step < most and memory.steering:
                continue
            return outcome
        memory.add(with_readable_calls(answer.message(calls)))
        at_limit = answer.finish_reason == "length"
        try:
            note = _LAST_CALL if step == most else ""
            await runner.run(calls, at_limit=at_limit, runaway=answer.runaway, note=note)
        except TurnCancelled:
            return Outcome("cancelled", answer.text)
    answer = await ask(ground, memory, sink, tools=False)
    return await _finish(answer, ground, memory, sink, stop="max_turn_requests")


async def _hand_over(memory: Memory, sink: Sink) -> None:
    """What was typed since the last model call goes to the model: here each call has its result.

    It is one message: several templates want the roles to alternate.
    """
    if not memory.steering:
        return
    waiting, memory.steering = memory.steering, []
    memory.add(user("\n\n".join(steering.text for steering in waiting)))
    for steering in waiting:
        await sink.emit(Steered(steering.typed))


async def _finish(
    answer: Answer, ground: Ground, memory: Memory, sink: Sink, stop: StopReason = "end_turn"
) -> Outcome:
    """The last answer of the turn; one that was cut or is empty says so."""
    limit = ground.settings.sampling.max_tokens
    cut = answer.finish_reason == "length"
    if answer.text:
        memory.add(answer.message())
        if not cut:
            return Outcome(stop, answer.text)
        note = f"\n[answer cut off at max_tokens ({limit})]"
        await sink.emit(TextDelta(note))
        return Outcome("max_tokens", answer.text + note)
    if cut:
        raise ModelError(
            f"the model used all of max_tokens ({limit}) without an answer"
            f"{', for its reasoning' if answer.reasoned else ''}: raise sampling.max_tokens"
        )
    if memory.history[-1].role != "tool":
        raise ModelError("the model gave an empty answer: ask again, or in other words")
    await sink.emit(Notice("the model ended its turn without a word", "warning"))
    return Outcome(stop, "")
