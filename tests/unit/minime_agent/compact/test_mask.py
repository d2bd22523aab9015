from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_agent.compact.mask import is_stub, mask, maskable
from minime_agent.compact.size import tokens
from minime_agent.compact.turns import recent
from minime_agent.engine.messages import Message, tool_result, user
from tests.unit.minime_agent.compact.histories import call, check, histories, worked

LONG = "a line of output\n" * 212


@pytest.mark.parametrize(
    ("name", "arguments", "output", "stub"),
    [
        (
            "bash",
            '{"command": "pytest -q"}',
            f"{LONG}[exit code: 1]",
            '"pytest -q" left out: 213 lines, exit code 1; run it again if you need it',
        ),
        ("bash", '{"command": "a\\n  b"}', LONG, '"a b" left out: 212 lines; run it again if you need it'),
        ("bash", '{"command": "' + "x" * 200 + '"}', LONG, f'"{"x" * 79}…" left out: 212 lines; run'),
        ("read_file", '{"path": "a.py"}', LONG, '"read_file a.py" left out: 212 lines; run it again'),
        ("edit_file", '{"path": "a.py", "edits": []}', LONG, '"edit_file a.py" left out: 212 lines]'),
        ("mcp__x", "{}", LONG, '"mcp__x" left out: 212 lines; run it again'),
        ("bash", "not json", LONG, '"bash" left out: 212 lines; run it again'),
    ],
)
def test_a_stub_says_what_it_was(name: str, arguments: str, output: str, stub: str) -> None:
    history = [user("go"), call("1", name, arguments), tool_result("1", output)]
    assert maskable(history, 3) == ("1",)
    masked = mask(history, ["1"])
    assert masked[2].content is not None
    assert masked[2].content.startswith(f"[output of {stub}")
    assert is_stub(masked[2].content)
    assert masked[:2] == history[:2]


def test_what_is_short_stays() -> None:
    history = [*worked("one", "ok", "[exit code: 1]"), *worked("two", LONG, first=5)]
    assert maskable(history, len(history)) == ("c5",)
    assert mask(history, ["c0", "c1"]) == history


def test_only_what_is_older_than_the_last_turns() -> None:
    history = [*worked("one", LONG), *worked("two", LONG, first=1), *worked("three", LONG, first=2)]
    assert maskable(history, recent(history, 2)) == ("c0",)
    assert maskable(history, recent(history, 3)) == ()


@given(histories(), st.integers(0, 40))
def test_masking_keeps_a_history_valid_makes_it_smaller_and_is_done_once(
    history: list[Message], before: int
) -> None:
    ids = maskable(history, before)
    masked = mask(history, ids)
    check(masked)
    assert tokens(masked) <= tokens(history)
    assert [m.role for m in masked] == [m.role for m in history]
    assert masked[before:] == history[before:]
    assert [m for m in masked if m.role != "tool"] == [m for m in history if m.role != "tool"]
    assert maskable(masked, before) == ()
    assert mask(masked, ids) == masked
