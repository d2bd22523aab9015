"""The last lines of an agent's stderr, whatever it writes."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from sidekicks.agents.stderr import CHARACTERS, LINES, Budget, Tail, drain


def test_lines_come_out_as_they_are_completed() -> None:
    tail = Tail()
    assert tail.feed(b"one\ntw") == ["one"]
    assert tail.feed(b"o\r\nthree") == ["two"]
    assert tail.finish() == ["three"]
    assert tail.lines == ("one", "two", "three")
    assert tail.finish() == []


def test_the_last_200_lines_are_kept() -> None:
    tail = Tail()
    tail.feed(b"".join(b"%d\n" % number for number in range(1000)))
    assert tail.lines == tuple(str(number) for number in range(800, 1000))


def test_a_line_is_cut() -> None:
    tail = Tail()
    for _ in range(100):
        assert tail.feed("é".encode() * 1000) == []
    [line] = tail.feed(b"\n")
    assert line == "é" * CHARACTERS
    tail.add("x" * 10_000)
    assert tail.lines[-1] == "x" * CHARACTERS


def test_bad_utf8_is_shown_as_such() -> None:
    assert Tail().feed(b"a\xff\xfeb\n") == ["a\ufffd\ufffdb"]


@given(st.binary(max_size=300), st.lists(st.integers(1, 20), max_size=40))
def test_pieces_make_no_difference(data: bytes, sizes: list[int]) -> None:
    whole, pieces = Tail(), Tail()
    told = whole.feed(data) + whole.finish()
    position, in_pieces = 0, []
    for size in [*sizes, len(data) + 1]:
        in_pieces += pieces.feed(data[position : position + size])
        position += size
    assert in_pieces + pieces.finish() == told
    assert pieces.lines == whole.lines


def test_so_many_a_second_are_told() -> None:
    now = 0.0
    budget = Budget(lambda: now, limit=3)
    assert [budget.allows() for _ in range(5)] == [True, True, True, False, False]
    now = 1.0
    assert budget.allows()


async def test_draining_lets_others_work_and_keeps_little() -> None:
    reader, tail, turns = asyncio.StreamReader(limit=2**26), Tail(), 0
    reader.feed_data(b"x" * 20_000_000 + b"\nlast")
    reader.feed_eof()
    told: list[str] = []
    draining = asyncio.create_task(drain(reader, tail, told.append))
    while not draining.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 100
    assert [len(line) for line in tail.lines] == [CHARACTERS, 4]
    assert len(tail.lines) <= LINES
    assert told == list(tail.lines)
