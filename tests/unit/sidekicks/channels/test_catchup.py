"""What an agent is told of the messages that it has not seen."""

from __future__ import annotations

from datetime import UTC, datetime

from sidekicks.channels.catchup import catch_up
from sidekicks.models import Message, Role, TextPart, ThoughtPart, ToolPart


def message(text: str, role: Role = "user", agent: str = "", **more: object) -> Message:
    return Message(
        id=text[:5],
        channel="c",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        role=role,
        agent=agent,
        parts=(TextPart(text=text),),
        **more,  # pyright: ignore[reportArgumentType]
    )


def test_names_who_said_what_in_order() -> None:
    told = catch_up([message("what is it?"), message("a *bird*", "agent", "bob")], "ada")
    assert (
        told.index('from="user"')
        < told.index("what is it?")
        < told.index('from="bob"')
        < told.index("a *bird*")
    )


def test_nothing_new_is_no_text() -> None:
    assert catch_up([], "ada") == ""


def test_the_last_twenty_are_told() -> None:
    told = catch_up([message(f"number {n}.") for n in range(30)], "ada")
    assert [n for n in range(30) if f"number {n}." in told] == list(range(10, 30))


def test_a_long_message_is_cut() -> None:
    told = catch_up([message("x" * 5000)], "ada")
    assert told.count("x") == 1500


def test_own_answers_are_repeated_only_to_a_new_session() -> None:
    own = [message("I said this", "agent", "ada")]
    assert catch_up(own, "ada") == ""
    assert "I said this" in catch_up(own, "ada", new_session=True)


def test_notes_of_the_system_and_unsent_messages_are_not_told() -> None:
    unseen = [
        message("note", "system", "bob", code="agent-joined"),
        message("dropped", error="cancelled"),
        message("waiting", queued=True),
    ]
    assert catch_up(unseen, "ada") == ""


def test_only_what_was_said_is_told() -> None:
    answer = Message(
        id="1",
        channel="c",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        role="agent",
        agent="bob",
        parts=(
            ThoughtPart(text="hmm"),
            TextPart(text="before"),
            ToolPart(id="t", title="cat secret"),
            TextPart(text="after"),
        ),
    )
    told = catch_up([answer], "ada")
    assert "before\n\nafter" in told
    assert "hmm" not in told
    assert "secret" not in told
