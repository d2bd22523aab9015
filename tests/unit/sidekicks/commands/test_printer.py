"""What is shown of each event while an answer comes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from sidekicks.commands.printer import TAIL_LINE, Printer
from sidekicks.events import (
    MessageDelta,
    MessageUpdated,
    OptionsChanged,
    TitleChanged,
    TurnChanged,
    to_json,
)
from sidekicks.models import (
    ImagePart,
    Message,
    OptionChoice,
    Part,
    PlanEntry,
    PlanPart,
    SessionOption,
    ToolPart,
)


def said(text: str) -> MessageDelta:
    return MessageDelta(channel="c", message_id="m", index=0, kind="text", text=text)


def part(part: Part) -> MessageDelta:
    return MessageDelta(channel="c", message_id="m", index=1, kind="tool", part=part)


def message(**fields: Any) -> MessageUpdated:
    told = Message(id="m", channel="c", created_at=datetime(2026, 12, 1, tzinfo=UTC), **fields)
    return MessageUpdated(channel="c", message=told)


def turn(**fields: Any) -> TurnChanged:
    return TurnChanged(**{"channel": "c", "busy": True, "queued": 0, "answering": "ada", **fields})


def test_the_answer_is_kept_apart_from_what_is_told_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    printer = Printer(as_json=False)
    tool = ToolPart(id="1", title="ls", kind="execute")
    for event in (
        message(role="agent", agent="ada", done=False),
        said("Let me "),
        said("see"),
        part(tool),
        part(tool),
        part(ToolPart(id="1", title="ls", kind="execute", status="completed")),
        said("There."),
        message(role="agent", agent="ada", stop_reason="end_turn"),
    ):
        printer.show(event)
    out, err = capsys.readouterr()
    assert out == "Let me see\nThere.\n"
    assert err == "[execute] ls · pending\n[execute] ls · completed\n"
    assert not printer.failed


def test_a_title_that_repeats_the_question_is_no_news(capsys: pytest.CaptureFixture[str]) -> None:
    printer = Printer(as_json=False, asked="How are\nyou today?")
    for title in ("How are you today?", "How are…", "Health"):
        printer.show(TitleChanged(channel="c", agent="ada", title=title))
    assert capsys.readouterr().err == "ada calls this: Health\n"


@pytest.mark.parametrize(
    "fields",
    [{"status": "failed"}, {"exit_code": 2}, {"signal": "SIGKILL"}],
    ids=["failed", "code", "signal"],
)
def test_a_tool_that_failed_says_why(capsys: pytest.CaptureFixture[str], fields: dict[str, Any]) -> None:
    printer = Printer(as_json=False)
    call = ToolPart(id="t", title="make", kind="execute", status="in_progress", output="x" * 10_000)
    failed = msgspec.structs.replace(call, **{"status": "completed", **fields})
    for tool in (call, failed, failed):
        printer.show(part(tool))
    running, ended, *said = capsys.readouterr().err.splitlines()
    assert (running, ended) == ("[execute] make · in_progress", f"[execute] make · {failed.status}")
    assert said == [f"  {'x' * TAIL_LINE}"]


def test_the_last_lines_of_a_failed_tool_are_shown_without_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = "\n".join([*(f"line {number}" for number in range(20)), "", "\x1b[31mno\x07 rule"])
    tool = ToolPart(id="t", title="make", kind="execute", status="failed", output=output)
    Printer(as_json=False).show(part(tool))
    _, *said = capsys.readouterr().err.splitlines()
    assert said == [*(f"  line {number}" for number in range(11, 20)), "   [31mno  rule"]


def test_plans_images_titles_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    printer = Printer(as_json=False)
    choices = (OptionChoice(value="ask", name="Ask first"), OptionChoice(value="auto", name="Automatic"))
    mode = SessionOption(id="mode", name="Mode", value="ask", choices=choices)
    automatic = SessionOption(id="mode", name="Mode", value="auto", choices=choices)
    for event in (
        part(PlanPart(entries=(PlanEntry(content="One", status="completed"), PlanEntry(content="Two")))),
        part(ImagePart(mime_type="image/png", data=b"123")),
        TitleChanged(channel="c", agent="ada", title="A boat"),
        TitleChanged(channel="c", agent="ada", title="A boat"),
        OptionsChanged(channel="c", agent="ada", options=(mode,)),
        OptionsChanged(channel="c", agent="ada", options=(automatic,)),
    ):
        printer.show(event)
    out, err = capsys.readouterr()
    plan, rest = err[: err.index("[image]")], err[err.index("[image]") :]
    assert (out, plan) == ("", "[plan]\n  [x] One\n  [ ] Two\n")
    assert rest == "[image] image/png, 3 bytes\nada calls this: A boat\n[Mode] Automatic\n"


def test_waiting_and_silence_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    printer = Printer(as_json=False)
    for event in (turn(waiting_for="d"), turn(waiting_for="d"), turn(), turn(silent=True), turn(silent=True)):
        printer.show(event)
    assert capsys.readouterr().err == (
        "ada is still answering elsewhere; waiting for it.\n"
        "Nothing has been heard of ada for a while; Ctrl+C stops it.\n"
    )


@pytest.mark.parametrize(
    ("fields", "says", "failed"),
    [
        ({"code": "no-recipient"}, "Nobody answers: mention an agent with @name.", True),
        ({"code": "agent-unavailable", "error": "it is gone"}, "ada is not available: it is gone", True),
        ({"code": "agent-joined"}, "ada joined.", False),
        ({"code": "agent-left"}, "ada left.", False),
        ({"code": "notice", "error": "the key expires"}, "[notice] ada: the key expires", False),
        (
            {"code": "session-lost", "error": "not found"},
            "ada could not go on with its session (not found); it is given the last messages.",
            False,
        ),
    ],
)
def test_what_the_system_says(
    capsys: pytest.CaptureFixture[str], fields: dict[str, Any], says: str, failed: bool
) -> None:
    printer = Printer(as_json=False)
    printer.show(message(role="system", agent="ada", **fields))
    assert capsys.readouterr().err == f"{says}\n"
    assert printer.failed == failed


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"error": "it ended with exit code 3"}, "ada: it ended with exit code 3"),
        ({"stop_reason": "refusal"}, "ada: the answer ended early (refusal)."),
        ({"stop_reason": "cancelled"}, "ada: the answer ended early (cancelled)."),
    ],
)
def test_an_answer_that_is_none(
    capsys: pytest.CaptureFixture[str], fields: dict[str, Any], says: str
) -> None:
    printer = Printer(as_json=False)
    printer.show(message(role="agent", agent="ada", **fields))
    assert capsys.readouterr().err == f"{says}\n"
    assert printer.failed


def test_with_several_agents_each_answer_bears_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    printer = Printer(as_json=False, several=lambda: True)
    for name in ("ada", "bob"):
        printer.show(message(role="agent", agent=name, done=False))
        printer.show(said(f"I am {name}"))
        printer.show(message(role="agent", agent=name, stop_reason="end_turn"))
    assert capsys.readouterr().out == "ada:\nI am ada\nbob:\nI am bob\n"


def test_as_json_there_is_nothing_but_events(capsys: pytest.CaptureFixture[str]) -> None:
    printer = Printer(as_json=True, several=lambda: True)
    events = (message(role="agent", agent="ada", done=False), said("hi"), turn(silent=True))
    for event in events:
        printer.show(event)
    assert capsys.readouterr() == ("".join(f"{to_json(event)}\n" for event in events), "")
