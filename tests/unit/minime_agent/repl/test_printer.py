from __future__ import annotations

import io

from minime_agent.repl.printer import Printer
from minime_agent.ui.events import (
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
