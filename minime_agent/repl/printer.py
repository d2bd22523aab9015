"""A turn on the terminal: the answer as it streams, tool calls and the start of their output, notices."""

from __future__ import annotations

from typing import TextIO

from minime_agent.repl.visible import visible
from minime_agent.ui.events import (
    PLAN_MARKS,
    CompactionEnd,
    CompactionStart,
    Event,
    Notice,
    Permission,
    PlanChanged,
    PromptProgress,
    ReasoningDelta,
    TextDelta,
    ToolEnd,
    ToolStart,
    UsageReport,
)

_DIM, _BOLD, _RED, _PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[31m", "\x1b[0m"
_ERASE = "\r\x1b[K"


class Printer:
    """The sink of the terminal; `preview` lines of each tool's output are shown. It never asks."""

    def __init__(self, out: TextIO, preview: int) -> None:
        self._out = out
        self._preview = preview
        self._styled = out.isatty()
        self._open: str = ""
        self._progress = False
        self.usage: UsageReport | None = None

    async def emit(self, event: Event) -> None:
        """Prints one event."""
        if not isinstance(event, PromptProgress):
            self._clear_progress()
        match event:
            case TextDelta(text):
                self._stream("answer", text, "")
            case ReasoningDelta(text):
                self._stream("reasoning", text, _DIM)
            case ToolStart(title=title, name=name):
                self._row(_BOLD, f"● {name}", f" {title}")
            case ToolEnd(output=output, failed=failed):
                self._output(output, _RED if failed else _DIM)
            case PlanChanged(entries):
                for entry in entries:
                    self._row("", f"  {PLAN_MARKS[entry.status]} ", entry.content)
            case PromptProgress(processed, total):
                self._show_progress(processed, total)
            case Notice(text):
                self.say(text)
            case CompactionStart(summarising=True) | CompactionEnd():
                self.say(event.sentence)
            case UsageReport():
                self.usage = event
            case _:
                pass

    async def allow(self, call: ToolStart) -> Permission:
        """Yes: the terminal belongs to the person who started mm, and Ctrl+C stops a turn."""
        return "allow"

    def say(self, text: str) -> None:
        """One sentence of mm itself."""
        self._row(_DIM, f"[{text}]")

    def end(self) -> None:
        """Ends the line that is open."""
        self._clear_progress()
        if self._open:
            self._write("\n")
        self._open = ""

    def _stream(self, kind: str, text: str, style: str) -> None:
        if self._open != kind:
            self.end()
            text = text.lstrip("\n")
        if text:
            self._open = kind
            self._write(self._style(style, text))

    def _row(self, style: str, lead: str, text: str = "") -> None:
        self.end()
        self._write(f"{self._style(style, lead)}{self._style('', text)}\n")

    def _output(self, output: str, style: str) -> None:
        self.end()
        lines = output.rstrip("\n").split("\n")
        shown = lines[: self._preview]
        if (left_out := len(lines) - len(shown)) > 0:
            shown.append(f"… {left_out} more lines")
        for line in shown:
            self._write(self._style(style, f"  {line}") + "\n")

    def _show_progress(self, processed: int, total: int) -> None:
        if self._styled and total:
            self._progress = True
            text = f"Reading the prompt {processed / 1000:.1f}k/{total / 1000:.1f}k tokens"
            self._write(f"{_ERASE}{_DIM}{text}{_PLAIN}")

    def _clear_progress(self) -> None:
        if self._progress:
            self._progress = False
            self._write(_ERASE)

    def _style(self, style: str, text: str) -> str:
        text = visible(text)
        return f"{style}{text}{_PLAIN}" if style and self._styled else text

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
