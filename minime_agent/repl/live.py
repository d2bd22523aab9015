"""A turn on a terminal that moves its cursor: what is finished is printed once, only the rest is live."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from minime_agent.repl.activity import Activity
from minime_agent.repl.rendering import Renderer, lines_of
from minime_agent.repl.streaming import LineStream, MarkdownStream
from minime_agent.ui.events import (
    PLAN_MARKS,
    CompactionEnd,
    CompactionStart,
    Event,
    Notice,
    Permission,
    PlanChanged,
    ReasoningDelta,
    Steered,
    TextDelta,
    ToolEnd,
    ToolRunning,
    ToolStart,
    UsageReport,
)

_LIVE_SOURCE = 4000
"""Characters of an unfinished block that are rendered while it grows; all of it is, when it is finished."""
_ECHO_LINES = 12


class Screen(Protocol):
    """Where it is shown."""

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        ...

    def changed(self) -> None:
        """What is live has changed."""
        ...


class LiveView:
    """The sink of the terminal. `write` puts text above what is live, for good. It never asks."""

    def __init__(
        self, renderer: Renderer, screen: Screen, write: Callable[[str], Awaitable[None]], preview: int
    ) -> None:
        self._renderer = renderer
        self._screen = screen
        self._write = write
        self._preview = preview
        self._answer, self._thoughts = MarkdownStream(), LineStream()
        self._running = ""
        self._block = ""
        self._said: list[tuple[str, str]] = []
        """Sentences with their styles."""
        self._live: tuple[tuple[str, str, str, int], str] = (("", "", "", 0), "")
        self.activity = Activity()
        self.usage: UsageReport | None = None

    async def emit(self, event: Event) -> None:
        """Shows one event."""
        self.activity.see(event)
        match event:
            case TextDelta(text):
                await self._end_thoughts()
                await self._print_answer(self._answer.add(text))
            case ReasoningDelta(text):
                await self._end_answer()
                await self._print_thoughts(self._thoughts.add(text))
            case ToolRunning(output=output):
                self._running = output
            case UsageReport():
                self.usage = event
            case ToolStart() | ToolEnd() | PlanChanged() | Steered() | Notice():
                await self.end()
                await self._print_event(event)
            case CompactionStart(summarising=True) | CompactionEnd():
                await self._notice(event.sentence)
            case _:
                pass
        self._screen.changed()

    async def allow(self, call: ToolStart) -> Permission:
        """Yes: the terminal belongs to the person who started mm, and Ctrl+C stops a turn."""
        return "allow"

    def say(self, text: str) -> None:
        """One sentence of mm itself, printed by the next `flush`."""
        self._said.append((text, "dim"))

    def fail(self, text: str) -> None:
        """Why what was asked could not be done, printed as `say` does."""
        self._said.append((text, "red"))

    async def flush(self) -> None:
        """Prints what was said."""
        said, self._said = self._said, []
        if said:
            await self._print("notice", "".join(self._plain(text, style) for text, style in said))

    async def echo(self, text: str) -> None:
        """What the person has sent."""
        lines = text.split("\n")
        if len(lines) > _ECHO_LINES:
            lines = [*lines[: _ECHO_LINES - 1], f"… {len(lines) - _ECHO_LINES + 1} more lines"]
        await self._print("person", self._plain("\n  ".join(["> " + lines[0], *lines[1:]]), "bold"))

    async def end(self) -> None:
        """Prints what is still open; nothing is live any more."""
        self._running = ""
        await self._end_thoughts()
        await self._end_answer()
        await self.flush()

    def live(self) -> str:
        """What may still change: the end of it, at most half a screen."""
        columns, rows = self._screen.size
        key = (self._answer.tail, self._thoughts.tail, self._running, columns)
        if self._live[0] != key:
            self._live = (key, self._render_live())
        lines = self._live[1].splitlines()
        return "\n".join(lines[-max(rows // 2, 1) :])

    def _render_live(self) -> str:
        if self._running:
            last = self._running[-_LIVE_SOURCE:].rstrip("\n").split("\n")[-self._preview :]
            return self._plain("\n".join(f"  {line}" for line in last), "dim")
        if self._thoughts.tail:
            return self._plain(self._thoughts.tail[-_LIVE_SOURCE:], "dim italic")
        if not self._answer.tail.strip():
            return ""
        return self._renderer.markdown(_end_of(self._answer.tail), self._columns)

    @property
    def _columns(self) -> int:
        return self._screen.size[0]

    def _plain(self, text: str, style: str) -> str:
        return self._renderer.plain(text, style, self._columns)

    async def _print_event(self, event: ToolStart | ToolEnd | PlanChanged | Steered | Notice) -> None:
        match event:
            case ToolStart(title=title, name=name):
                await self._print("tool", self._renderer.row("●", name, title, self._columns))
            case ToolEnd():
                await self._result(event)
            case PlanChanged(entries):
                rows = [f"  {PLAN_MARKS[entry.status]} {entry.content}" for entry in entries]
                await self._print("tool", self._plain("\n".join(rows), ""))
            case Steered(text):
                await self.echo(text)
            case Notice(text, severity):
                await self._print("notice", self._plain(text, "yellow" if severity == "warning" else "dim"))

    async def _result(self, end: ToolEnd) -> None:
        if end.diffs and not end.failed:
            await self._print("tool", self._renderer.render(lines_of(end.diffs), self._columns))
            return
        if end.name == "plan" and not end.failed:
            return  # it was shown as it is
        lines = end.output.rstrip("\n").split("\n")
        shown = lines[: self._preview]
        if (left := len(lines) - len(shown)) > 0:
            shown.append(f"… {left} more lines")
        if any(shown):
            text = "\n".join(f"  {line}" for line in shown)
            await self._print("tool", self._plain(text, "red" if end.failed else "dim"))

    async def _notice(self, text: str) -> None:
        if text:
            await self.end()
            await self._print("notice", self._plain(text, "dim"))

    async def _print_answer(self, source: str) -> None:
        if source.strip():
            await self._print("answer", "\n" + self._renderer.markdown(source, self._columns), apart=False)

    async def _print_thoughts(self, text: str) -> None:
        if text.strip():
            await self._print("thoughts", self._plain(text.rstrip("\n"), "dim italic"))

    async def _end_answer(self) -> None:
        await self._print_answer(self._answer.end())

    async def _end_thoughts(self) -> None:
        await self._print_thoughts(self._thoughts.end())

    async def _print(self, block: str, text: str, *, apart: bool = True) -> None:
        """A blank line stands between blocks of different kinds."""
        blank = "\n" if apart and self._block not in ("", block) else ""
        self._block = block
        await self._write(blank + text)


def _end_of(source: str) -> str:
    """The end of a long block, with the fence that it began with."""
    if len(source) <= _LIVE_SOURCE:
        return source
    first = source.split("\n", 1)[0]
    cut = source[-_LIVE_SOURCE:].partition("\n")[2]
    return f"{first}\n{cut}" if first.lstrip().startswith(("```", "~~~")) else cut
