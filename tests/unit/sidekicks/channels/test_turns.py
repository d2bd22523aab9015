"""One answer folded: parts, merging, bounds, linear cost."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from sidekicks.acp.changes import PlanReplaced, TextAdded, ThoughtAdded, ToolChanged
from sidekicks.acp.text import OUTPUT_LIMIT
from sidekicks.channels.turns import TEXT_LIMIT, Turn
from sidekicks.models import Diff, Message, PlanEntry, PlanPart, TextPart, ThoughtPart, ToolPart
from tests.core_parts import Clock, text_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def turn(clock: Clock | None = None) -> Turn:
    message = Message(id="1", channel="c", created_at=NOW, role="agent", agent="ada", done=False)
    return Turn(message, clock=clock or Clock(), now=lambda: NOW)


def test_text_joins_and_other_parts_part_it() -> None:
    made = turn()
    for change in (
        TextAdded(text="a"),
        TextAdded(text="b"),
        ToolChanged(id="t", title="ls"),
        TextAdded(text="c"),
        ThoughtAdded(text="d"),
    ):
        made.apply(change)
    kinds = [(type(part), getattr(part, "text", "")) for part in made.message().parts]
    assert kinds == [(TextPart, "ab"), (ToolPart, ""), (TextPart, "c"), (ThoughtPart, "d")]


def test_thinking_takes_time() -> None:
    clock = Clock()
    made = turn(clock)
    made.apply(ThoughtAdded(text="hm"))
    clock.now = 2.5
    made.apply(TextAdded(text="so"))
    clock.now = 9.0
    assert made.finish("end_turn", "").parts[0] == ThoughtPart(text="hm", seconds=2.5)


def test_a_tool_call_is_merged_by_id_and_its_content_replaced() -> None:
    made = turn()
    made.apply(ToolChanged(id="t", status="in_progress", output="one"))  # no tool_call before
    made.apply(ToolChanged(id="t", title="ls", kind="execute"))
    made.apply(ToolChanged(id="t", output="one\ntwo", diffs=(Diff(path="p", old_text="", new_text="x"),)))
    made.apply(ToolChanged(id="t", status="completed"))
    [tool] = made.message().parts
    assert isinstance(tool, ToolPart)
    assert (tool.title, tool.kind, tool.status, tool.output) == ("ls", "execute", "completed", "one\ntwo")
    assert tool.diffs[0].path == "p"


def test_a_plan_stays_in_its_place() -> None:
    made = turn()
    made.apply(PlanReplaced(entries=(PlanEntry(content="a"),)))
    made.apply(TextAdded(text="x"))
    made.apply(PlanReplaced(entries=(PlanEntry(content="b"),)))
    parts = made.message().parts
    assert parts == (PlanPart(entries=(PlanEntry(content="b"),)), TextPart(text="x"))


def test_what_an_end_cut_off_has_failed() -> None:
    made = turn()
    made.apply(ToolChanged(id="t", status="in_progress"))
    [tool] = made.finish("cancelled", "").parts
    assert isinstance(tool, ToolPart)
    assert tool.status == "failed"


def test_a_terminals_output_is_bounded() -> None:
    made = turn()
    for number in range(200):
        made.apply(ToolChanged(id="t", appended=f"{number} " + "x" * 10_000))
    [tool] = made.message().parts
    assert isinstance(tool, ToolPart)
    assert len(tool.output) < OUTPUT_LIMIT + 10_000
    assert tool.output.startswith("0 ")
    assert tool.output.endswith("x")


def test_an_answer_without_end_is_bounded() -> None:
    made = turn()
    for _ in range(200):
        made.apply(TextAdded(text="y" * 100_000))
    assert len(text_of(made.message())) < TEXT_LIMIT + 1_000


def _seconds(changes: int) -> float:
    made = turn()
    piece = TextAdded(text="some text " * 2)
    before = time.perf_counter()
    for number in range(changes):
        made.apply(piece)
        if number % 5_000 == 0:
            made.message()
    return time.perf_counter() - before


def test_cost_grows_with_what_comes_not_with_its_square() -> None:
    _seconds(1_000)
    short = min(_seconds(10_000) for _ in range(5))
    long = min(_seconds(80_000) for _ in range(3))
    assert long < short * 8 * 4
