from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from minime_agent.compact.mask import maskable
from minime_agent.compact.plan import Compaction
from minime_agent.compact.summary import former_notes, new_messages, task
from minime_agent.compact.turns import recent
from minime_agent.engine.messages import Message
from tests.unit.minime_agent.compact.histories import check, histories, worked

HISTORY = [*worked("one", "uno"), *worked("two", "dos", first=1), *worked("three", first=2)]


def asked(history: list[Message], size: int = 10_000, instructions: str = "") -> str:
    wanted = task(history, recent(history, 1), max_tokens=200, size=size, instructions=instructions)
    assert [message.role for message in wanted.messages] == ["system", "user"]
    return wanted.messages[1].content or ""


def test_the_request_holds_what_will_be_gone_and_no_more() -> None:
    text = asked(HISTORY, instructions="keep the names of the tests")
    assert 'Person: one\nAgent calls bash {"command": "pytest -q"}\nResult: uno\nAgent: answer to one' in text
    assert "dos" in text
    assert "three" not in text
    assert "at most 120 words" in text
    assert "keep the names of the tests" in text


def test_a_conversation_larger_than_the_window_loses_its_middle() -> None:
    history = [*worked("first", *["é" * 900] * 30), *worked("last")]
    text = asked(history, size=6_000)
    assert "Person: first" in text
    assert "answer to first" in text
    assert "the middle is lost" in text
    assert len(text.encode()) < 7_500


def test_former_notes_are_kept_word_by_word() -> None:
    history = Compaction(notes="Goal: the first", first_kept=recent(HISTORY, 2)).apply(HISTORY)
    assert former_notes(history) == "Goal: the first"
    assert new_messages(history, recent(history, 1)) == worked("two", "dos", first=1)
    wanted = task(history, recent(history, 1), max_tokens=200, size=10_000)
    assert "do not repeat them:\n\n<notes>\nGoal: the first" in (wanted.messages[1].content or "")
    assert wanted.notes("Done: the second") == "Goal: the first\n\n[and then]\nDone: the second"


def test_notes_that_have_outgrown_their_place_are_merged() -> None:
    history = Compaction(notes="x" * 700, first_kept=recent(HISTORY, 2)).apply(HISTORY)
    wanted = task(history, recent(history, 1), max_tokens=200, size=10_000)
    assert "Write them anew" in (wanted.messages[1].content or "")
    assert wanted.notes("all") == "all"


def test_nothing_is_new_behind_the_notes() -> None:
    history = Compaction(notes="Goal", first_kept=recent(HISTORY, 2)).apply(HISTORY)
    assert recent(history, 3) == 0
    assert not new_messages(history, recent(history, 2))


@given(histories(), st.integers(0, 4), st.text(min_size=1), st.text(min_size=1))
def test_a_history_with_notes_is_valid_and_ends_as_before(
    history: list[Message], turns: int, notes: str, more: str
) -> None:
    for text in (notes, more):
        first = recent(history, turns)
        plan = Compaction(
            maskable(history, len(history)), text if new_messages(history, first) else "", first
        )
        after = plan.apply(history)
        check(after)
        kept = [message for message in history[first:] if message.role != "tool"]
        assert [message for message in after if message.role != "tool"][-len(kept) or len(after) :] == kept
        assert plan.notes == "" or former_notes(after) == text
        history = after
