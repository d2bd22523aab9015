"""One agent's answer: what it tells, in order, folded into the parts of one message.

The cost of a change does not depend on how long the answer is: text is kept in pieces until it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Literal

import msgspec

from sidekicks.acp.changes import (
    Change,
    ImageAdded,
    PlanReplaced,
    TerminalEnded,
    TerminalWrote,
    TextAdded,
    ThoughtAdded,
    ToolChanged,
)
from sidekicks.channels.secrecy import Hide, without_secrets
from sidekicks.channels.tool_calls import ToolCall
from sidekicks.events import MessageDelta
from sidekicks.models import (
    ImagePart,
    Message,
    Part,
    PlanPart,
    StopReason,
    TextPart,
    ThoughtPart,
    ToolPart,
)

TEXT_LIMIT = 8 * 1024 * 1024
"""Characters of text and thoughts that one message keeps, whatever an agent says."""
PART_LIMIT = 10_000
"""Parts of one message."""
TOOL_LIMIT = 32 * 1024 * 1024
"""Characters of all tool calls together; when there are as many, only the beginnings of others are kept."""
IMAGE_LIMIT = 32 * 1024 * 1024
"""Bytes of all images of one answer; more are only named."""
PAUSE = 0.05
"""Seconds between two times that a growing output is told; for each million characters one more."""
CUT = "\n\n[… the rest of this answer is left out: it is too long …]"


class _Writing:
    """A text or a thought that grows."""

    def __init__(self, began: float | None) -> None:
        self.pieces: list[str] = []
        self.began = began
        self.seconds: float | None = None

    def part(self) -> Part:
        text = "".join(self.pieces)
        self.pieces = [text]
        return TextPart(text=text) if self.began is None else ThoughtPart(text=text, seconds=self.seconds)


class Turn:
    """Builds the message of one answer. `clock` tells seconds, `now` the time of day.

    The finished message has what `hide` leaves of its texts: a secret may come in two pieces, so what is told
    before is not looked through.
    """

    def __init__(
        self,
        message: Message,
        *,
        clock: Callable[[], float],
        now: Callable[[], datetime],
        hide: Hide = str,
    ) -> None:
        self._message = message
        self._hide = hide
        self._clock = clock
        self._now = now
        self._parts: list[_Writing | ToolCall | PlanPart | ImagePart] = []
        self._tools: dict[str, int] = {}
        self._untold: dict[int, float] = {}
        self._tool_size = 0
        self._plans: dict[str, int] = {}
        self._image_size = 0
        self._written = 0
        self._speaker: str | None = None

    @property
    def id(self) -> str:
        """The message's id."""
        return self._message.id

    @property
    def done(self) -> bool:
        """Whether the answer is over."""
        return self._message.done

    def message(self) -> Message:
        """The message as it is now."""
        parts = tuple(part if isinstance(part, PlanPart | ImagePart) else part.part() for part in self._parts)
        if self.done:
            parts = tuple(without_secrets(part, self._hide) for part in parts)
        return msgspec.structs.replace(self._message, parts=parts)

    def tool(self, call: str) -> ToolPart | None:
        """The tool call with this id."""
        index = self._tools.get(call)
        return self._tool_at(index).part() if index is not None else None

    def untold_for(self) -> float | None:
        """Seconds until more of an output is to be told; None: everything was told."""
        due = min(self._untold.values(), default=None)
        return None if due is None else max(0.0, due - self._clock())

    def rest(self) -> list[MessageDelta]:
        """What there is to tell now of outputs that have grown meanwhile."""
        now = self._clock()
        return [self._tell_tool(index) for index, due in tuple(self._untold.items()) if due <= now]

    def finish(self, stop_reason: StopReason | None, error: str = "") -> Message:
        """Ends the answer; tool calls that were under way have failed."""
        self._end_thought()
        for index in self._tools.values():
            self._tool_at(index).fail()
        self._untold.clear()  # whoever hears of the end gets the whole message
        self._message = msgspec.structs.replace(
            self._message, done=True, stop_reason=stop_reason, error=error, finished_at=self._now()
        )
        return self.message()

    def apply(self, change: Change) -> MessageDelta | None:
        """Takes a change; what there is to tell of it."""
        match change:
            case TextAdded(text=text, message_id=speaker):
                return self._write(self._paragraph(text, speaker), thought=False)
            case ThoughtAdded(text=text):
                return self._write(text, thought=True)
            case ToolChanged():
                return self._change_tool(change)
            case TerminalWrote(id=call):
                return self._wrote(call, change.text)
            case TerminalEnded(id=call):
                return self._ended(call, change)
            case PlanReplaced(entries=entries, plan_id=plan_id):
                return self._replace_plan(plan_id, PlanPart(entries=entries))
            case ImageAdded(image=image):
                return self._add_image(image)
            case _:
                return None

    # -- text ----------------------------------------------------------------------------------------

    def _paragraph(self, text: str, speaker: str | None) -> str:
        """Another message of the agent begins a new paragraph of the answer."""
        new = speaker is not None and self._speaker is not None and speaker != self._speaker
        self._speaker = speaker or self._speaker
        last = self._parts[-1] if self._parts else None
        goes_on = isinstance(last, _Writing) and last.began is None and bool(last.pieces)
        return f"\n\n{text}" if new and goes_on else text

    def _write(self, text: str, *, thought: bool) -> MessageDelta | None:
        if not text or self._written > TEXT_LIMIT:
            return None
        self._written += len(text)
        if self._written > TEXT_LIMIT:
            text = CUT
        last = self._parts[-1] if self._parts else None
        if not isinstance(last, _Writing) or (last.began is not None) != thought:
            if len(self._parts) >= PART_LIMIT:
                return None
            self._end_thought()
            last = _Writing(self._clock() if thought else None)
            self._parts.append(last)
        last.pieces.append(text)
        return MessageDelta(
            channel=self._message.channel,
            message_id=self._message.id,
            index=len(self._parts) - 1,
            kind="thought" if thought else "text",
            text=text,
        )

    def _end_thought(self) -> None:
        last = self._parts[-1] if self._parts else None
        if isinstance(last, _Writing) and last.began is not None and last.seconds is None:
            last.seconds = max(0.0, self._clock() - last.began)

    # -- tool calls and plans ------------------------------------------------------------------------

    def _change_tool(self, change: ToolChanged) -> MessageDelta | None:
        index = self._tools.get(change.id)
        is_new = index is None
        if index is None:
            if len(self._parts) >= PART_LIMIT:
                return None
            self._end_thought()
            index = self._tools[change.id] = len(self._parts)
            self._parts.append(ToolCall(change.id))
        tool = self._tool_at(index)
        before = 0 if is_new else tool.size
        is_urgent, is_more = tool.change(change)
        self._resized(tool, before)
        if is_urgent or is_new:
            return self._tell_tool(index)
        return self._tell_or_wait(index) if is_more else None

    def _wrote(self, call: str, text: str) -> MessageDelta | None:
        """A terminal may write on when the turn that began it is long over: then it is not shown here."""
        index = self._tools.get(call)
        if index is None:
            return None
        tool = self._tool_at(index)
        before = tool.size
        tool.wrote(text)
        self._resized(tool, before)
        return self._tell_or_wait(index)

    def _ended(self, call: str, change: TerminalEnded) -> MessageDelta | None:
        index = self._tools.get(call)
        if index is None:
            return None
        self._tool_at(index).ended(change)
        return self._tell_tool(index)

    def _tool_at(self, index: int) -> ToolCall:
        tool = self._parts[index]
        assert isinstance(tool, ToolCall)
        return tool

    def _resized(self, tool: ToolCall, before: int) -> None:
        self._tool_size -= before
        if self._tool_size + tool.size > TOOL_LIMIT:
            tool.shorten()
        self._tool_size += tool.size

    def _tell_or_wait(self, index: int) -> MessageDelta | None:
        tool = self._tool_at(index)
        due = tool.told + PAUSE + tool.size / 1_000_000
        if due <= self._clock():
            return self._tell_tool(index)
        self._untold[index] = due
        return None

    def _tell_tool(self, index: int) -> MessageDelta:
        tool = self._tool_at(index)
        tool.told = self._clock()
        self._untold.pop(index, None)
        return self._replaced(index, "tool", tool.part())

    def _replace_plan(self, plan_id: str, plan: PlanPart) -> MessageDelta | None:
        index = self._plans.get(plan_id)
        if index is None:
            if len(self._parts) >= PART_LIMIT or not plan.entries:
                return None
            self._end_thought()
            index = self._plans[plan_id] = len(self._parts)
            self._parts.append(plan)
        else:
            self._parts[index] = plan
        return self._replaced(index, "plan", plan)

    def _add_image(self, image: ImagePart) -> MessageDelta | None:
        self._image_size += len(image.data)
        if self._image_size > IMAGE_LIMIT:
            return self._write(
                f"\n\n*({image.mime_type}: left out, there are too many images)*\n\n", thought=False
            )
        if len(self._parts) >= PART_LIMIT:
            return None
        self._end_thought()
        self._parts.append(image)
        return self._replaced(len(self._parts) - 1, "image", image)

    def _replaced(self, index: int, kind: Literal["tool", "plan", "image"], part: Part) -> MessageDelta:
        return MessageDelta(
            channel=self._message.channel, message_id=self._message.id, index=index, kind=kind, part=part
        )
