from __future__ import annotations

import io
import re

import pytest

from minime_agent.repl.activity import Activity
from minime_agent.repl.live import LiveView
from minime_agent.repl.rendering import Renderer
from minime_agent.ui.events import (
    CompactionStart,
    ComposingTool,
    Event,
    Notice,
    PlanChanged,
    PlanEntry,
    PromptProgress,
    ReasoningDelta,
    Steered,
    TextDelta,
    ToolEnd,
    ToolRunning,
    ToolStart,
)


class Paper:
    """A screen that keeps what is printed."""

    size = (60, 20)

    def __init__(self) -> None:
        self.printed = ""
        self.view = LiveView(Renderer(io.StringIO()), self, self.write, 2)

    def changed(self) -> None:
        pass

    async def write(self, text: str) -> None:
        self.printed += re.sub(r"\x1b\[[\d;]*m", "", text)

    async def take(self, *events: Event) -> str:
        for event in events:
            await self.view.emit(event)
        return self.printed


@pytest.fixture
def paper() -> Paper:
    return Paper()


async def test_a_turn(paper: Paper) -> None:
    await paper.view.echo("look")
    await paper.take(
        ReasoningDelta("hm\nwell"),
        TextDelta("I **look"),
        TextDelta("**.\n\nAt"),
        TextDelta(" it."),
        ToolStart("1", "bash", "ls", "execute", {}),
        ToolEnd("1", "bash", "a\nb\nc\nd", failed=False),
        PlanChanged((PlanEntry("first", "completed"),)),
        Steered("be quick"),
        Notice("slow"),
    )
    assert paper.printed == (
        "> look\n\nhm\nwell\n\nI look.\n\nAt it.\n\n● bash ls\n  a\n  b\n  … 2 more lines\n  ☑ first\n"
        "\n> be quick\n\nslow\n"
    )
    assert paper.view.live() == ""


async def test_only_the_unfinished_is_live(paper: Paper) -> None:
    assert await paper.take(TextDelta("One.\n\nTwo is not yet\n")) == "\nOne.\n"
    assert "Two is not yet" in paper.view.live()
    await paper.view.end()
    assert paper.printed == "\nOne.\n\nTwo is not yet\n"
    assert paper.view.live() == ""


async def test_what_is_live_takes_half_the_screen_at_most(paper: Paper) -> None:
    await paper.take(TextDelta("```\n" + "\n".join(map(str, range(5000)))))
    assert len(paper.view.live().splitlines()) == 10
    assert "4999" in paper.view.live()
    await paper.view.end()
    assert paper.printed.count("\n") > 5000


async def test_a_running_tool_shows_the_end_of_its_output(paper: Paper) -> None:
    await paper.take(ToolStart("1", "bash", "make", "execute", {}), ToolRunning("1", "a\nb\nc\n"))
    assert re.sub(r"\x1b\[[\d;]*m", "", paper.view.live()) == "  b\n  c"


def test_activity() -> None:
    now = 100.0
    activity = Activity(lambda: now)
    assert activity.line() == ""
    activity.begin()
    said: list[str] = []
    for event in (
        PromptProgress(12_000, 25_300),
        ReasoningDelta("x"),
        TextDelta("x"),
        ComposingTool("bash", 10),
        ComposingTool("bash", 3200),
        ToolStart("1", "bash", "ls", "execute", {}),
        ToolEnd("1", "bash", "", failed=False),
        CompactionStart("threshold", 1, 2, summarising=True),
    ):
        activity.see(event)
        said.append(activity.line()[2:])
    assert said == [
        "Reading the prompt 12.0k/25.3k tokens",
        "Thinking",
        "Answering",
        "Composing a tool call (bash)",
        "Composing a tool call (bash, 3.2k characters)",
        "Running bash",
        "Waiting for the model",
        "Summarising the older turns",
    ]
    activity.see(ToolStart("1", "bash", "ls", "execute", {}))
    now = 112.5
    assert activity.line()[2:] == "Running bash 12 s"
    activity.end()
    assert activity.line() == ""
