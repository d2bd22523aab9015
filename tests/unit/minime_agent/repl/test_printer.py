from __future__ import annotations

import io

from minime_agent.repl.printer import Printer
from minime_agent.ui.events import (
    CompactionEnd,
    CompactionStart,
    Event,
    Notice,
    PlanChanged,
    PlanEntry,
    ReasoningDelta,
    TextDelta,
    ToolEnd,
    ToolStart,
)


async def printed(*events: Event, preview: int = 2) -> str:
    out = io.StringIO()
    printer = Printer(out, preview)
    for event in events:
        await printer.emit(event)
    printer.end()
    return out.getvalue()


async def test_a_turn() -> None:
    said = await printed(
        ReasoningDelta("hm"),
        TextDelta("\n\nI "),
        TextDelta("look."),
        ToolStart("1", "bash", "ls", "execute", {}),
        ToolEnd("1", "bash", "a\nb\nc\nd", failed=False),
        PlanChanged((PlanEntry("first", "completed"), PlanEntry("second"))),
        Notice("slow"),
        TextDelta("Done."),
    )
    assert said == (
        "hm\nI look.\n● bash ls\n  a\n  b\n  … 2 more lines\n  ☑ first\n  ☐ second\n[slow]\nDone.\n"
    )


async def test_nothing_steers_the_terminal() -> None:
    said = await printed(
        TextDelta("a\x1b[2Jb\x07"),
        ToolStart("1", "bash", "echo \x1b]0;x\x07", "execute", {}),
        ToolEnd("1", "bash", "\x1b[31mred\x9b", failed=True),
    )
    assert not set(said) & {"\x1b", "\x07", "\x9b"}


async def test_room_that_is_made() -> None:
    said = await printed(
        CompactionStart("threshold", 6200, 8192, summarising=True),
        CompactionEnd("threshold", 6200, 2000, masked=("1",), summary="Goal: x", first_kept=4),
        CompactionStart("threshold", 6200, 8192, summarising=False),
        CompactionEnd("threshold", 6200, 3000, masked=("1", "2")),
    )
    assert said == (
        "[the conversation takes 6200 of 8192 tokens: summarising the older turns]\n"
        "[1 old tool output left out; older turns summarised; 6200 tokens are now 2000]\n"
        "[2 old tool outputs left out; 6200 tokens are now 3000]\n"
    )
