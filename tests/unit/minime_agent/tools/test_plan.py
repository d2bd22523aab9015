from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from minime_agent.oneshot.output import Output
from minime_agent.repl.printer import Printer
from minime_agent.tools.plan import Plan
from minime_agent.tools.workspace import Workspace
from minime_agent.ui.events import PlanChanged, Sink
from tests.recording_sink import RecordingSink
from tests.unit.minime_agent.tools.conftest import Use

STEPS = [{"content": "look", "status": "completed"}, {"content": "act", "status": "in_progress"}, "check"]


def terminal(out: io.StringIO) -> Sink:
    return Printer(out, 10)


def one_shot(out: io.StringIO) -> Sink:
    return Output("text", io.StringIO(), out)


@pytest.mark.parametrize("facade", [terminal, one_shot])
async def test_every_facade_shows_it(tmp_path: Path, facade: Callable[[io.StringIO], Sink]) -> None:
    out = io.StringIO()
    call = await Plan().prepare({"steps": STEPS}, Workspace(tmp_path))
    await call.run(facade(out), "1")
    rows = [line.removeprefix("mm:").strip() for line in out.getvalue().splitlines()]
    assert rows == ["☑ look", "▸ act", "☐ check"]


async def test_programs_read_it_as_an_event(tmp_path: Path) -> None:
    answer = io.StringIO()
    call = await Plan().prepare({"steps": STEPS}, Workspace(tmp_path))
    await call.run(Output("stream-json", answer, io.StringIO()), "1")
    event = json.loads(answer.getvalue())
    assert event["type"] == "plan_update"
    assert [step["status"] for step in event["entries"]] == ["completed", "in_progress", "pending"]


async def test_a_status_in_other_words_is_understood(use: Use, sink: RecordingSink) -> None:
    words = ["done", "In Progress", "todo", "not-started"]
    await use(Plan(), steps=[{"content": "x", "status": word} for word in words])
    (plan,) = sink.of(PlanChanged)
    assert [step.status for step in plan.entries] == ["completed", "in_progress", "pending", "pending"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"steps": []}, "the plan has no steps; send all of them"),
        (
            {"steps": [{"content": "x", "status": "maybe"}]},
            "'maybe' is no status of a step; there",
        ),
        ({"steps": 3}, "expected {steps: [{content: string, status: pending|in_progress|completed}]}"),
        ({}, "expected {steps: ["),
    ],
)
async def test_what_is_no_plan_is_told(use: Use, arguments: dict[str, object], said: str) -> None:
    result = await use(Plan(), **arguments)
    assert result.failed
    assert said in result.output
