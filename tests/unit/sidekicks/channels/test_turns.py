"""What an agent tells becomes one message."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekicks.acp.changes import (
    Change,
    CommandsReplaced,
    PlanReplaced,
    TerminalEnded,
    TerminalWrote,
    TextAdded,
    ThoughtAdded,
    ToolChanged,
    UsageReported,
)
from sidekicks.acp.text import OUTPUT_LIMIT
from sidekicks.channels.turns import CUT, PART_LIMIT, TEXT_LIMIT, TOOL_LIMIT, Turn
from sidekicks.events import MessageDelta
from sidekicks.models import (
    Diff,
    Location,
    Message,
    Part,
    PlanEntry,
    PlanPart,
    TextPart,
    ThoughtPart,
    ToolPart,
    Usage,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def new_turn(clock: Clock | None = None) -> Turn:
    message = Message(id="m", channel="c", created_at=NOON, role="agent", agent="ada", done=False)
    return Turn(message, clock=clock or Clock(), now=lambda: NOON)


def after(*changes: Change) -> tuple[Part, ...]:
    turn = new_turn()
    for change in changes:
        turn.apply(change)
    return turn.message().parts


def told(change: Change, *before: Change) -> MessageDelta:
    turn = new_turn()
    for earlier in before:
        turn.apply(earlier)
    delta = turn.apply(change)
    assert delta is not None
    return delta


def replayed(deltas: list[MessageDelta]) -> list[Part]:
    """What a listener has that only sees the deltas, as the reference says that they are to be read."""
    parts: list[Part] = []
    for delta in deltas:
        if delta.part is not None:
            parts[delta.index : delta.index + 1] = [delta.part]
        elif delta.index == len(parts):
            parts.append(TextPart(text=delta.text) if delta.kind == "text" else ThoughtPart(text=delta.text))
        else:
            former = parts[delta.index]
            assert isinstance(former, TextPart | ThoughtPart)
            parts[delta.index] = type(former)(text=former.text + delta.text)
    return parts


def test_text_goes_on_where_it_was() -> None:
    assert after(TextAdded(text="Hel"), TextAdded(text="lo")) == (TextPart(text="Hello"),)
    delta = told(TextAdded(text="lo"), TextAdded(text="Hel"))
    assert delta == MessageDelta(channel="c", message_id="m", index=0, kind="text", text="lo")


def test_empty_text_is_nothing() -> None:
    assert new_turn().apply(TextAdded(text="")) is None


def test_another_message_of_the_agent_is_another_paragraph() -> None:
    parts = after(
        TextAdded(text="one", message_id="1"),
        TextAdded(text=" more", message_id="1"),
        TextAdded(text="two", message_id="2"),
        TextAdded(text=" more"),
    )
    assert parts == (TextPart(text="one more\n\ntwo more"),)


def test_another_message_after_a_tool_begins_at_the_beginning() -> None:
    parts = after(
        TextAdded(text="one", message_id="1"), ToolChanged(id="t"), TextAdded(text="two", message_id="2")
    )
    assert parts[2] == TextPart(text="two")


def test_thoughts_know_how_long_they_took() -> None:
    clock = Clock()
    turn = new_turn(clock)
    turn.apply(ThoughtAdded(text="hm"))
    clock.now = 2.5
    turn.apply(ThoughtAdded(text="m"))
    turn.apply(TextAdded(text="so"))
    clock.now = 9
    turn.apply(ThoughtAdded(text="wait"))
    clock.now = 10
    parts = turn.finish("end_turn").parts
    assert parts == (
        ThoughtPart(text="hmm", seconds=2.5),
        TextPart(text="so"),
        ThoughtPart(text="wait", seconds=1.0),
    )


def test_a_tool_call_is_merged_by_its_id() -> None:
    place, diff = Location(path="/a", line=3), Diff(path="/a", old_text="", new_text="x", new_file=True)
    parts = after(
        ToolChanged(id="1", title="ls", kind="execute", input='{"c":1}'),
        ToolChanged(id="2", title="other"),
        ToolChanged(id="1", status="in_progress", locations=(place,), output="a"),
        ToolChanged(id="1", status="completed", output="b", diffs=(diff,), exit_code=0),
    )
    assert parts == (
        ToolPart(
            id="1",
            title="ls",
            kind="execute",
            input='{"c":1}',
            status="completed",
            output="b",
            locations=(place,),
            diffs=(diff,),
            exit_code=0,
        ),
        ToolPart(id="2", title="other"),
    )


def test_an_update_of_an_unknown_call_is_shown() -> None:
    assert after(ToolChanged(id="1", status="completed")) == (ToolPart(id="1", title="", status="completed"),)


def test_an_update_that_says_nothing_new_is_not_told() -> None:
    turn = new_turn()
    turn.apply(ToolChanged(id="1", title="ls"))
    assert turn.apply(ToolChanged(id="1", status="pending")) is None


def test_output_is_replaced_or_added_to() -> None:
    [tool] = after(
        ToolChanged(id="1", appended="one "),
        ToolChanged(id="1", appended="two "),
        ToolChanged(id="1", output="three "),
        ToolChanged(id="1", appended="four"),
    )
    assert isinstance(tool, ToolPart)
    assert tool.output == "three four"


def test_added_output_is_cut_once_and_counted_right() -> None:
    turn, size = new_turn(), 1000
    for number in range(400):
        turn.apply(ToolChanged(id="1", appended=f"{number:04d}".ljust(size, ".")))
    tool = turn.tool("1")
    assert tool is not None
    assert tool.output.startswith("0000...")
    assert "0399..." in tool.output[-size:]
    assert tool.output.count("characters left out") == 1
    assert f"[… {400 * size - OUTPUT_LIMIT:,} characters left out …]" in tool.output


def output_after(*changes: Change) -> str:
    [tool] = after(ToolChanged(id="1"), *changes)
    assert isinstance(tool, ToolPart)
    return tool.output


def test_what_a_terminal_shows_has_no_escape_sequences_and_one_progress_bar() -> None:
    assert (
        output_after(
            TerminalWrote(id="1", text="\x1b[32mok"),
            TerminalWrote(id="1", text="\x1b[0m\n 10%\r"),
            TerminalWrote(id="1", text=" 99%\r100%\n"),
        )
        == "ok\n100%\n"
    )
    assert (
        output_after(ToolChanged(id="1", appended="\x1b[1"), ToolChanged(id="1", appended="mbold")) == "bold"
    )


def test_what_a_terminal_showed_stays_when_the_call_ends_with_the_same_as_raw_output() -> None:
    wrote, ended = TerminalWrote(id="1", text="out\n"), TerminalEnded(id="1", exit_code=3, signal="")
    raw = ToolChanged(id="1", status="completed", output="{}", only_raw=True)
    assert output_after(wrote, ended, raw) == "out\n"
    assert output_after(raw) == "{}"
    beside = ToolChanged(id="1", output="Running", shows_terminal=True)
    assert output_after(beside, wrote, ToolChanged(id="1", status="completed")) == "Running\nout\n"
    assert output_after(wrote, ToolChanged(id="1", output="instead")) == "instead"
    [tool] = after(ToolChanged(id="1"), wrote, TerminalEnded(id="1", exit_code=None, signal="SIGKILL"))
    assert isinstance(tool, ToolPart)
    assert (tool.exit_code, tool.signal) == (None, "SIGKILL")


def test_a_terminal_that_writes_on_in_a_later_turn_adds_no_tool_call_to_it() -> None:
    assert after(TerminalWrote(id="1", text="on\n"), TerminalEnded(id="1", exit_code=0, signal="")) == ()


@pytest.mark.parametrize("kind", [ToolChanged, TerminalWrote])
def test_a_hundred_thousand_small_pieces_are_told_in_few_deltas(kind: type) -> None:
    clock, told, size = Clock(), 0, 0
    turn = new_turn(clock)
    turn.apply(ToolChanged(id="1", title="make"))
    for number in range(100_000):
        clock.now += 0.000_1
        text = f"{number}\n"
        change = (
            ToolChanged(id="1", appended=text) if kind is ToolChanged else TerminalWrote(id="1", text=text)
        )
        deltas = [delta for delta in (turn.apply(change), *turn.rest()) if delta is not None]
        told += len(deltas)
        size += sum(len(delta.part.output) for delta in deltas if isinstance(delta.part, ToolPart))
    assert 10 < told <= 10 / 0.05 + 1
    assert size < 11_000_000, "a megabyte a second"
    [tool] = turn.finish("end_turn").parts
    assert isinstance(tool, ToolPart)
    assert tool.output.endswith("99998\n99999\n")
    assert turn.untold_for() is None


def test_a_whole_output_again_and_again_is_told_in_few_deltas() -> None:
    clock, told = Clock(), 0
    turn = new_turn(clock)
    for number in range(1_000):
        clock.now += 0.001
        change = ToolChanged(id="1", output="line\n" * number)
        told += sum(delta is not None for delta in (turn.apply(change), *turn.rest()))
    assert told <= 21
    assert turn.apply(ToolChanged(id="1", status="completed")) is not None, "a status is told at once"


def test_a_plan_is_replaced_in_its_place() -> None:
    first, second = (PlanReplaced(entries=(PlanEntry(content=text),)) for text in ("a", "b"))
    parts = after(TextAdded(text="x"), first, TextAdded(text="y"), second)
    assert parts == (TextPart(text="x"), PlanPart(entries=second.entries), TextPart(text="y"))


def test_what_is_no_part_of_an_answer_is_ignored() -> None:
    assert after(UsageReported(usage=Usage(used=1, size=2)), CommandsReplaced(commands=())) == ()


def test_the_end_of_an_answer() -> None:
    turn = new_turn()
    turn.apply(ToolChanged(id="1", status="in_progress"))
    turn.apply(ToolChanged(id="2", status="completed"))
    turn.apply(ToolChanged(id="3"))
    message = turn.finish("max_tokens")
    assert (message.done, message.stop_reason, message.error) == (True, "max_tokens", "")
    assert message.finished_at == NOON
    statuses = [part.status for part in message.parts if isinstance(part, ToolPart)]
    assert statuses == ["failed", "completed", "failed"]
    assert new_turn().finish(None, "it ended").error == "it ended"


def test_late_parts_are_added() -> None:
    turn = new_turn()
    turn.finish("end_turn")
    assert turn.apply(TextAdded(text="late")) is not None
    assert turn.message().parts == (TextPart(text="late"),)
    assert turn.message().done


def test_text_has_a_limit() -> None:
    turn, piece = new_turn(), "x" * (1024 * 1024)
    told = [turn.apply(TextAdded(text=piece)) for _ in range(20)]
    [part] = turn.message().parts
    assert isinstance(part, TextPart)
    assert len(part.text) == TEXT_LIMIT + len(CUT)
    assert part.text.endswith(CUT)
    assert told[-1] is None
    assert turn.apply(ThoughtAdded(text="no")) is None


def test_parts_have_a_limit() -> None:
    turn = new_turn()
    for number in range(PART_LIMIT + 10):
        turn.apply(ToolChanged(id=str(number)))
    assert turn.apply(TextAdded(text="x")) is None
    assert turn.apply(PlanReplaced(entries=())) is None
    assert len(turn.message().parts) == PART_LIMIT
    assert turn.apply(ToolChanged(id="5", status="completed")) is not None


def test_tool_calls_have_a_limit_together() -> None:
    turn, output = new_turn(), "o" * OUTPUT_LIMIT
    for number in range(2 * TOOL_LIMIT // OUTPUT_LIMIT):
        turn.apply(ToolChanged(id=str(number), title="read", output=output))
    parts = [part for part in turn.message().parts if isinstance(part, ToolPart)]
    assert sum(len(part.output) for part in parts) < 1.1 * TOOL_LIMIT
    assert parts[0].output == output
    assert "left out" in parts[-1].output
    for number in range(3):
        turn.apply(ToolChanged(id=str(number), output=""))
    turn.apply(ToolChanged(id="last", output=output))
    last = turn.tool("last")
    assert last is not None
    assert last.output == output  # there is room again


@pytest.mark.parametrize("kind", ["text", "plan"])
def test_the_cost_of_a_change_does_not_grow(kind: str) -> None:
    """Counted in lines run, which does not depend on the machine."""
    turn = new_turn()
    for number in range(3_000):
        turn.apply(ToolChanged(id=str(number)))
    turn.apply(PlanReplaced(entries=()))

    def cost() -> int:
        lines = 0

        def trace(frame: object, event: str, _: object) -> object:
            nonlocal lines
            lines += event == "line"
            del frame
            return trace

        former = sys.gettrace()
        sys.settrace(trace)  # pyright: ignore[reportArgumentType]
        try:
            turn.apply(TextAdded(text="x") if kind == "text" else PlanReplaced(entries=()))
        finally:
            sys.settrace(former)
        return lines

    cost()
    first = cost()
    for _ in range(2_000):
        turn.apply(TextAdded(text="word "))
    assert cost() <= first + 5


CHANGES = st.one_of(
    st.builds(TextAdded, text=st.text(max_size=5), message_id=st.sampled_from([None, "1", "2"])),
    st.builds(ThoughtAdded, text=st.text(max_size=5)),
    st.builds(
        ToolChanged,
        id=st.sampled_from(["a", "b"]),
        title=st.sampled_from([None, "t"]),
        status=st.sampled_from([None, "pending", "completed"]),
        output=st.sampled_from([None, "", "o"]),
        only_raw=st.booleans(),
        shows_terminal=st.booleans(),
        appended=st.sampled_from(["", "p"]),
    ),
    st.builds(TerminalWrote, id=st.sampled_from(["a", "b"]), text=st.sampled_from(["w\n", "\r", "\x1b[K"])),
    st.builds(
        TerminalEnded, id=st.sampled_from(["a", "b"]), exit_code=st.none() | st.just(1), signal=st.just("")
    ),
    st.builds(PlanReplaced, entries=st.sampled_from([(), (PlanEntry(content="x"),)])),
)


@given(st.lists(CHANGES, max_size=30))
def test_who_only_sees_the_deltas_has_the_same_message(changes: list[Change]) -> None:
    clock = Clock()
    turn = new_turn(clock)
    deltas = [delta for change in changes if (delta := turn.apply(change)) is not None]
    assert turn.rest() == [], "nothing is told before it is time"
    clock.now += 1
    deltas += turn.rest()
    assert turn.untold_for() is None
    without_times = [
        ThoughtPart(text=part.text) if isinstance(part, ThoughtPart) else part
        for part in turn.message().parts
    ]
    assert replayed(deltas) == without_times
