"""Compaction in a session: when room is made, by what, and what the person is told of it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from minime_agent.compact import size
from minime_agent.compact.mask import maskable
from minime_agent.compact.plan import Compaction, Room
from minime_agent.compact.summary import former_notes, new_messages, task
from minime_agent.compact.turns import newest_calls, recent, turn_starts
from minime_agent.engine.errors import ContextOverflowError, ModelError
from minime_agent.engine.memory import Ground, Memory
from minime_agent.engine.messages import Message
from minime_agent.engine.summarising import written_notes
from minime_agent.ui.events import (
    CompactionEnd,
    CompactionReason,
    CompactionStart,
    Notice,
    Sink,
    UsageReport,
)

_ASSUMED_WINDOW = 8_192
"""Tokens that the request for a summary may take when nobody says how many there are."""
_PROMPT = 400
"""Tokens of that request beside the conversation."""
_BYTES_PER_TOKEN = 3
"""Of the conversation in that request; on the safe side."""
_FEW_MESSAGES = 20
_REFUSAL_HOLDS = 1.1
"""How far a conversation has to grow until a summary is tried again after one that failed."""


class Compactor:
    """Makes room in one session's history. The history is changed at once or not at all."""

    def __init__(self, ground: Ground, memory: Memory, sink: Sink) -> None:
        self._ground = ground
        self._memory = memory
        self._sink = sink
        self._context = ground.settings.context
        self._fixed = ground.prompt_tokens

    def learn(self, usage: UsageReport) -> None:
        """Takes the server's count of the request for the history as it is, unless it can't be true."""
        prompt_tokens = usage.prompt_tokens
        if usage.window and prompt_tokens > usage.window:
            return
        self._memory.gauge.learn(self.guess(), prompt_tokens)

    def guess(self) -> int:
        """The tokens of the next request by its bytes alone."""
        return self._fixed + size.tokens(self._memory.history)

    async def fit(self) -> None:
        """Makes room when the next request would leave too little; else changes nothing."""
        history = self._memory.history
        if not self._context.enabled or not self._has_old(history):
            return
        room = await self._room()
        if room.is_full(self._size(history), len(history)):
            await self._compact("threshold", room, recent(history, self._context.keep_last_turns))

    async def overflow(self, error: ContextOverflowError) -> None:
        """Makes room after the server refused a request as too large; raises where there is none to make."""
        history = self._memory.history
        if not self._context.enabled:
            raise error
        self._memory.refused_at = error.window or self._size(history)
        room = await self._room()
        if not await self._compact("overflow", room, recent(history, self._context.keep_last_turns)):
            raise error if len(turn_starts(history)) > 1 else _too_small(error)

    async def by_hand(self, instructions: str) -> None:
        """Makes room now: of what is older than the last turns, or of the last turns where nothing is."""
        history = self._memory.history
        cuts = (recent(history, turns) for turns in range(self._context.keep_last_turns, -1, -1))
        first = next((cut for cut in cuts if new_messages(history, cut)), 0)
        if not first:
            await self._sink.emit(Notice("there is nothing to make room of"))
            return
        await self._compact("manual", await self._room(), first, instructions)

    def _has_old(self, history: Sequence[Message]) -> bool:
        """Whether there is anything to give up; a first question waits for nobody to tell the window."""
        return len(turn_starts(history)) > 1 or bool(maskable(history, newest_calls(history)))

    async def _compact(
        self, reason: CompactionReason, room: Room, first: int, instructions: str = ""
    ) -> bool:
        """Makes room of what stands before `first`, and of the running turn when that is not enough.

        False when nothing could be gained.
        """
        history = self._memory.history
        before = self._size(history)
        plan = Compaction(maskable(history, first) if self._context.mask else ())
        error = ""
        if summarising := self._is_to_summarise(reason, room, first, plan):
            await self._sink.emit(CompactionStart(reason, before, room.window, summarising=True))
            plan, error = await self._summarised(reason, room, first, plan, instructions)
        plan = self._with_running_turn(reason, room, plan)
        after = self._after(plan)
        gained = room.is_worth(before, after) if reason == "threshold" else after < before
        if not gained:
            plan, after = Compaction(), before
        elif not summarising:
            await self._sink.emit(CompactionStart(reason, before, room.window, summarising=False))
        if gained:
            self._memory.compact(plan, before)
        if gained or summarising:
            await self._sink.emit(
                CompactionEnd(reason, before, after, plan.masked, plan.notes, plan.first_kept, error)
            )
        return gained

    def _is_to_summarise(self, reason: CompactionReason, room: Room, first: int, masks: Compaction) -> bool:
        """Whether a summary is worth a request: masking was not enough, and there is much to summarise."""
        new = new_messages(masks.apply(self._memory.history), first)
        if reason == "manual" or not new:
            return bool(new)
        masked = self._after(masks)
        if masked <= room.low or masked < self._memory.no_summary_at * _REFUSAL_HOLDS:
            return False
        if reason == "overflow":
            return True
        much = self._memory.gauge.measure(size.tokens(new)) >= 1.5 * self._limit(room)
        return much if room.window else len(new) >= _FEW_MESSAGES

    async def _summarised(
        self, reason: CompactionReason, room: Room, first: int, plan: Compaction, instructions: str
    ) -> tuple[Compaction, str]:
        """The plan with a summary; or as it was, and why there is none."""
        masked = plan.apply(self._memory.history)
        limit = self._limit(room)
        window = room.window or _ASSUMED_WINDOW
        former = size.text_tokens(former_notes(masked).encode())
        most = min(window - limit - _PROMPT, window // 2) / self._memory.gauge.scale - former
        wanted = task(
            masked,
            first,
            max_tokens=limit,
            size=max(round(most) * _BYTES_PER_TOKEN, 1_000),
            instructions=instructions,
        )
        try:
            notes = await written_notes(self._ground, wanted, limit, self._sink)
        except ModelError as error:
            self._memory.no_summary_at = self._after(plan)
            return plan, str(error)
        except BaseException:
            now = self._size(self._memory.history)
            await self._sink.emit(CompactionEnd(reason, now, now, error="it was stopped"))
            raise
        summarised = Compaction((), notes, first)
        if self._after(summarised) >= self._after(plan):
            self._memory.no_summary_at = self._after(plan)
            return plan, "it would be longer than what it stands for"
        self._memory.no_summary_at = 0
        return summarised, ""

    def _with_running_turn(self, reason: CompactionReason, room: Room, plan: Compaction) -> Compaction:
        """Also the outputs of the running turn where the answer would be cut, or the request refused again.

        What came back for the newest calls goes last: the model has not read it yet.
        """
        history = self._memory.history
        overflow = reason == "overflow"
        if not self._context.mask or reason == "manual":
            return plan
        if room.is_tight(self._after(plan)):
            plan = _masking(plan, history, newest_calls(history))
        if overflow and self._after(plan) >= room.window:
            plan = _masking(plan, history, len(history))
        return plan

    def _limit(self, room: Room) -> int:
        """Tokens of a summary: the setting, but no more than an eighth of the window."""
        return min(self._context.summary_max_tokens, (room.window or _ASSUMED_WINDOW) // 8)

    def _size(self, history: Sequence[Message]) -> int:
        return self._memory.gauge.measure(self._fixed + size.tokens(history))

    def _after(self, plan: Compaction) -> int:
        return self._size(plan.apply(self._memory.history))

    async def _room(self) -> Room:
        """The window as the server says; it is smaller than what the server refused, whatever it says."""
        told, refused = await self._ground.window(), self._memory.refused_at
        return Room(min(told or refused, refused or told), self._context.threshold)


def _masking(plan: Compaction, history: Sequence[Message], before: int) -> Compaction:
    """The plan with the outputs that it keeps before that position left out, too."""
    kept = history[plan.first_kept : before] if plan.notes else history[:before]
    return replace(plan, masked=maskable(kept, len(kept)))


def _too_small(error: ContextOverflowError) -> ContextOverflowError:
    """A window that does not hold the first question: a new session would begin with the same."""
    return ContextOverflowError(
        f"{error}; as this is the session's first question, only the larger window helps, or fewer tools "
        "(`tools` in the settings), or a smaller question",
        status=error.status,
        window=error.window,
    )
