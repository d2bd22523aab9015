"""Ids sort in the order of a conversation."""

from __future__ import annotations

from sidekicks.ids import Ids, following


def test_ids_rise_strictly_and_have_one_length() -> None:
    ids = Ids()
    made = [ids.new() for _ in range(10_000)]
    assert made == sorted(set(made))
    assert {len(one) for one in made} == {26}


def test_ids_come_after_the_newest_stored_one_even_when_the_clock_went_back() -> None:
    from_the_future = "7ZZZZZZZZZ0000000000000000"
    assert Ids(from_the_future).new() > from_the_future


def test_what_a_message_caused_stands_before_what_was_said_since() -> None:
    ids = Ids()
    question, queued = ids.new(), ids.new()
    answer = question
    for _ in range(1_000):
        former, answer = answer, following(answer)
        assert question <= former < answer < queued
