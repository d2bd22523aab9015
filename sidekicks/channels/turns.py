"""One agent's answer: what it tells, in order, folded into the parts of one message.

The cost of a change does not depend on how long the answer is: text is kept in pieces until it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Literal

import msgspec

from sidekicks.acp.changes import Change, ImageAdded, PlanReplaced, TextAdded, ThoughtAdded, ToolChanged
from sidekicks.acp.text import Growing, cut
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
SCANT = 200
"""Characters that are kept of a field then."""
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
    """Builds the message of one answer. `clock` tells seconds, `now` the time of day."""

    def __init__(
        self,
        message: Message,
        *,
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self._message = message
        self._clock = clock
        self._now = now
        self._parts: list[_Writing | ToolPart | PlanPart | ImagePart] = []
        self._tools: dict[str, int] = {}
        self._growing: dict[str, Growing] = {}
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
        parts = tuple(part.part() if isinstance(part, _Writing) else part for part in self._parts)
        return msgspec.structs.replace(self._message, parts=parts)

    def tool(self, call: str) -> ToolPart | None:
        """The tool call with this id."""
        index = self._tools.get(call)
        part = self._parts[index] if index is not None else None
        return part if isinstance(part, ToolPart) else None

    def finish(self, stop_reason: StopReason | None, error: str = "") -> Message:
        """Ends the answer; tool calls that were under way have failed."""
        self._end_thought()
        for index, part in enumerate(self._parts):
            if isinstance(part, ToolPart) and part.status in ("pending", "in_progress"):
                self._parts[index] = msgspec.structs.replace(part, status="failed")
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
            self._parts.append(ToolPart(id=change.id, title=change.title or ""))
        former = self._parts[index]
        assert isinstance(former, ToolPart)
        changed = merged(former, self._with_output(former, change))
        self._tool_size -= _size(former)
        if self._tool_size + _size(changed) > TOOL_LIMIT:
            changed = _scant(changed)
            self._growing.pop(change.id, None)
        self._tool_size += _size(changed)
        if changed == former and not is_new:
            return None
        self._parts[index] = changed
        return self._replaced(index, "tool", changed)

    def _with_output(self, former: ToolPart, change: ToolChanged) -> ToolChanged:
        """The change with the whole output, when it adds to the former."""
        if change.output is not None:
            self._growing.pop(change.id, None)
        if not change.appended:
            return change
        growing = self._growing.get(change.id)
        if growing is None:
            growing = self._growing[change.id] = Growing()
            growing.add(former.output if change.output is None else change.output)
        growing.add(change.appended)
        return msgspec.structs.replace(change, output=growing.text())

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


_FIELDS = (
    "title",
    "kind",
    "status",
    "input",
    "output",
    "locations",
    "diffs",
    "exit_code",
    "signal",
    "images",
)


def merged(tool: ToolPart, change: ToolChanged) -> ToolPart:
    """The tool call with what a change says of it; the rest stays. Output is replaced, not added."""
    said = {name: value for name in _FIELDS if (value := getattr(change, name)) is not None}
    return msgspec.structs.replace(tool, **said)


def _size(tool: ToolPart) -> int:
    diffs = sum(len(diff.old_text) + len(diff.new_text) + len(diff.path) for diff in tool.diffs)
    images = sum(len(image.data) for image in tool.images)
    places = sum(len(place.path) for place in tool.locations)
    return len(tool.title) + len(tool.input) + len(tool.output) + diffs + places + images


def _scant(tool: ToolPart) -> ToolPart:
    title, given, output = (cut(text, SCANT) for text in (tool.title, tool.input, tool.output))
    return msgspec.structs.replace(
        tool, title=title, input=given, output=output, diffs=(), locations=(), images=()
    )
