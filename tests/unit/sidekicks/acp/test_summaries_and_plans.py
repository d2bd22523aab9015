"""Compaction as one line, several plans, and agents below agents."""

from __future__ import annotations

from minime_agent.acp.wire import content, updates
from sidekicks.acp.changes import Change, PlanReplaced, TextAdded, ThoughtAdded, ToolChanged
from sidekicks.acp.compaction import DONE, Compactions
from sidekicks.acp.translate import translate
from sidekicks.models import PlanEntry


def line(text: str) -> Change:
    return TextAdded(text=f"\n\n> {text}\n\n")


def test_a_compaction_is_one_line_and_its_summary_a_thought() -> None:
    known = Compactions()
    assert known.changed(updates.CompactionUpdate("1", "in_progress")) == ()
    summary = (content.TextContent("They talked."),)
    done = updates.CompactionUpdate("1", "completed", summary=summary)
    assert known.changed(done) == (ThoughtAdded(text="They talked."), line(DONE))
    assert known.changed(done) == ()


def test_a_summary_that_came_in_pieces_does_not_come_again() -> None:
    known = Compactions()
    chunk = updates.CompactionSummaryChunk("1", content.TextContent("They "))
    assert known.chunk(chunk) == ThoughtAdded(text="They ")
    done = updates.CompactionUpdate("1", "completed", summary=(content.TextContent("They talked."),))
    assert known.changed(done) == (line(DONE),)


def test_a_compaction_that_fails_or_is_cancelled() -> None:
    known = Compactions()
    failed = known.changed(updates.CompactionUpdate("1", "failed", error="no room"))
    assert failed == (line("The conversation could not be compacted: no room"),)
    assert known.changed(updates.CompactionUpdate("2", "cancelled")) == ()


def test_plans_by_id_in_whatever_form() -> None:
    entry = updates.PlanEntry("Look", "high", "completed")
    items = translate(updates.PlanUpdate(updates.PlanItems("a", (entry,))))
    look = PlanEntry(content="Look", status="completed", priority="high")
    assert items == PlanReplaced(entries=(look,), plan_id="a")
    markdown = translate(updates.PlanUpdate(updates.PlanMarkdown("b", "# Plan\n- [x] Look\n2. Build\n")))
    steps = (PlanEntry(content="Look", status="completed"), PlanEntry(content="Build"))
    assert markdown == PlanReplaced(entries=steps, plan_id="b")
    prose = translate(updates.PlanUpdate(updates.PlanMarkdown("b", "Just do it.")))
    assert prose == PlanReplaced(entries=(PlanEntry(content="Just do it."),), plan_id="b")
    file = translate(updates.PlanUpdate(updates.PlanFile("c", "file:///plan.md")))
    assert file == PlanReplaced(entries=(PlanEntry(content="file:///plan.md"),), plan_id="c")
    assert translate(updates.PlanUpdate(updates.UnknownPlan(kind="_map", raw={}))) is None
    assert translate(updates.PlanRemoved("a")) == PlanReplaced(entries=(), plan_id="a")


def test_an_agent_below_this_one_looks_like_a_tool_call() -> None:
    state = updates.SubagentState("running")
    running = translate(updates.SubagentUpdate("s", title="Explore", description="Reads", state=state))
    assert running == ToolChanged(
        id="subagent s", title="Explore", kind="think", status="in_progress", output="Reads"
    )
    over = translate(updates.SubagentUpdate("s", state=updates.SubagentState("idle", "end_turn")))
    assert isinstance(over, ToolChanged)
    assert (over.status, over.title, over.output) == ("completed", None, None)
    failed = translate(updates.SubagentUpdate("s", state=updates.SubagentState("idle", error={"code": 1})))
    assert isinstance(failed, ToolChanged)
    assert failed.status == "failed"
