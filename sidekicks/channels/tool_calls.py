"""One tool call of an answer while it changes: its output may come in 100,000 pieces, or whole each time."""

from __future__ import annotations

import msgspec

from sidekicks.acp.changes import TerminalEnded, ToolChanged
from sidekicks.acp.terminal_text import TerminalText
from sidekicks.acp.text import Growing, cut
from sidekicks.models import ToolPart

SCANT = 200
"""Characters that are kept of a field when all tool calls together are too long."""
_URGENT = ("title", "kind", "status", "input", "locations", "diffs", "exit_code", "signal", "images")


class _Shown:
    """What a terminal shows."""

    def __init__(self, before: str) -> None:
        self.kept = Growing()
        self.kept.add(before)
        self._text = TerminalText(self.kept)

    def feed(self, text: str) -> None:
        self._text.feed(text)

    def text(self) -> str:
        return self.kept.text(self._text.open)


class ToolCall:
    """A tool call. What an addition to its output costs does not depend on how long that is.

    `told` is when it was last told, by the clock of whoever tells.
    """

    def __init__(self, id_: str) -> None:
        self.told = float("-inf")
        self._part = ToolPart(id=id_, title="")
        self._part_size = 0
        self._before = ""
        self._shown: _Shown | None = None

    def part(self) -> ToolPart:
        """The tool call as it is now."""
        if self._shown is None and not self._before:
            return self._part
        output = self._shown.text() if self._shown is not None else self._part.output
        return msgspec.structs.replace(self._part, output=self._before + output)

    @property
    def size(self) -> int:
        """Characters of it, give or take what is still to be cut."""
        shown = len(self._shown.kept) if self._shown is not None else 0
        return len(self._before) + shown + self._part_size

    def change(self, change: ToolChanged) -> tuple[bool, bool]:
        """Takes a change: whether anything but the output is different now, and whether the output is."""
        former = self._part
        self._set(_with(former, change, _URGENT))
        is_urgent = self._part != former
        is_more = self._replace(change)
        if change.appended:
            self.wrote(change.appended)
        return is_urgent, is_more or bool(change.appended)

    def wrote(self, text: str) -> None:
        """A terminal that it shows has written more."""
        if self._shown is None:
            self._shown = _Shown(self._part.output)
            self._set(msgspec.structs.replace(self._part, output=""))
        self._shown.feed(text)

    def ended(self, change: TerminalEnded) -> None:
        """The command of a terminal that it shows has ended."""
        self._part = msgspec.structs.replace(self._part, exit_code=change.exit_code, signal=change.signal)

    def fail(self) -> None:
        """It has not ended, and its turn is over."""
        if self._part.status in ("pending", "in_progress"):
            self._part = msgspec.structs.replace(self._part, status="failed")

    def shorten(self) -> None:
        """Keeps the beginnings only."""
        part = self.part()
        title, given, output = (cut(text, SCANT) for text in (part.title, part.input, part.output))
        self._set(
            msgspec.structs.replace(
                part, title=title, input=given, output=output, diffs=(), locations=(), images=()
            )
        )
        self._shown, self._before = None, ""

    def _set(self, part: ToolPart) -> None:
        self._part = part
        self._part_size = _size(part)

    def _replace(self, change: ToolChanged) -> bool:
        """Takes a new output: what a terminal shows stays beside it, unless it takes the terminal's place."""
        if change.output is None or (change.only_raw and self._shown is not None):
            return False
        former = self.part().output if self._shown is None else None
        if change.shows_terminal:
            self._before = f"{change.output}\n"
        else:
            self._before, self._shown = "", None
            self._set(msgspec.structs.replace(self._part, output=change.output))
        return former != self.part().output


def merged(tool: ToolPart, change: ToolChanged) -> ToolPart:
    """The tool call with what a change says of it; the rest stays. Output is replaced, not added."""
    return _with(tool, change, (*_URGENT, "output"))


def _with(tool: ToolPart, change: ToolChanged, names: tuple[str, ...]) -> ToolPart:
    said = {name: value for name in names if (value := getattr(change, name)) is not None}
    if change.name and not said.get("title", tool.title):
        said["title"] = change.name
    return msgspec.structs.replace(tool, **said)


def _size(tool: ToolPart) -> int:
    diffs = sum(len(diff.old_text) + len(diff.new_text) + len(diff.path) for diff in tool.diffs)
    places = sum(len(place.path) for place in tool.locations)
    images = sum(len(image.data) for image in tool.images)
    return len(tool.title) + len(tool.input) + len(tool.output) + diffs + places + images
