"""What is kept of an agent's stderr."""

from __future__ import annotations

from sidekicks.agents.stderr import CHARACTERS, LINES, Budget, Tail
from tests.core_parts import Clock


def test_lines_across_chunks() -> None:
    tail = Tail()
    assert tail.feed(b"one\ntw") == ["one"]
    assert tail.feed(b"o\r\nthree") == ["two"]
    assert tail.finish() == ["three"]
    assert tail.lines == ("one", "two", "three")


def test_the_last_200_lines_are_kept_each_cut_at_4000_characters() -> None:
    tail = Tail()
    for number in range(LINES + 50):
        tail.feed(f"{number} {'x' * 2 * CHARACTERS}\n".encode())
    assert len(tail.lines) == LINES
    assert tail.lines[0].startswith("50 ")
    assert tail.lines[-1].startswith("249 ")
    assert {len(line) for line in tail.lines} == {CHARACTERS}


def test_a_character_cut_in_two_and_bytes_that_are_no_text() -> None:
    tail = Tail()
    tail.feed("é".encode()[:1])
    tail.feed("é".encode()[1:] + b"\xff\n")
    assert tail.lines == ("é\ufffd",)


def test_a_line_without_end_does_not_grow() -> None:
    tail = Tail()
    for _ in range(1000):
        tail.feed(b"y" * 65536)
    assert tail.finish() == ["y" * CHARACTERS]


def test_a_flood_is_told_in_part() -> None:
    clock = Clock()
    budget = Budget(clock, limit=3)
    assert [budget.allows() for _ in range(5)] == [True, True, True, False, False]
    clock.now = 1.0
    assert budget.allows()
