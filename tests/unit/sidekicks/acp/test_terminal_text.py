"""What a person sees of what a program writes to a terminal."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekicks.acp.terminal_text import ROWS, TerminalText, plain
from sidekicks.acp.text import Ending, Growing

BAR = "".join(f"\r{n:3d}% {'#' * (n // 10):10}" for n in range(0, 101, 10))


def shown(*pieces: str) -> str:
    kept = Growing()
    text = TerminalText(kept)
    for piece in pieces:
        text.feed(piece)
    return kept.text(text.open)


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("one\ntwo\n", "one\ntwo\n"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mother\x1b[m", "red other"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\a link\x1b]8;;\x1b\\", "a link"),
        ("\x1b(B\x1b=\x1b7text\x1b8", "text"),
        (f"start\n{BAR}\ndone\n", "start\n100% ##########\ndone\n"),
        ("loading...\r\x1b[Kdone", "done"),
        ("loading...\r\x1b[2Kdone", "done"),
        ("abc\b\bX", "aXc"),
        ("typed\x08\x1b[K", "type"),
        ("a: 1\nb: 1\n\x1b[2A\x1b[2Ka: 2\n\x1b[2Kb: 2\n", "a: 2\nb: 2\n"),
        ("a\nb\nc\x1b[2A\r\x1b[J", ""),
        ("before\x1b[2J\x1b[Hafter", "before\nafter"),
        ("x\x1b[5Gy", "x   y"),
        ("bell\x07 null\x00", "bell null"),
        ("a lone \x1b", "a lone "),
        ("\x1b[999999999999Ax", "x"),
        ("é\u2028ü\n", "é\u2028ü\n"),
    ],
)
def test_what_is_seen(written: str, seen: str) -> None:
    assert shown(written) == seen
    assert shown(*written) == seen, "in pieces of one character"


def test_an_escape_sequence_that_never_ends_hides_no_more_than_itself() -> None:
    assert shown("\x1b]0;" + "x" * 10_000, "\x07after").endswith("after")


@given(st.lists(st.text(st.sampled_from("ab\n\r\b\x1b[2K;AJ\x07]0"), max_size=20), max_size=30))
def test_it_does_not_matter_in_which_pieces_it_comes(pieces: list[str]) -> None:
    assert shown(*pieces) == shown("".join(pieces))


def test_rows_that_have_scrolled_away_are_settled() -> None:
    lines = "".join(f"{n}\n" for n in range(ROWS * 3))
    assert shown(lines, f"\x1b[{ROWS * 2}A", "first") == lines.replace(f"{ROWS * 2 + 1}\n", "first\n", 1)


def test_a_flood_of_small_pieces_costs_the_same_per_piece_however_long_it_is() -> None:
    def seconds(pieces: int) -> float:
        kept, ending = Growing(), Ending(1_000_000)
        text = TerminalText(kept, ending)
        began = time.perf_counter()
        for number in range(pieces):
            text.feed(f"line {number}\n")
        kept.text(text.open)
        ending.text(text.open)
        return time.perf_counter() - began

    seconds(1_000)
    assert seconds(100_000) < 30 * seconds(10_000)


@pytest.mark.parametrize(
    ("limit", "pieces", "end"),
    [
        (4, ["0123", "4567"], ("4567", True)),
        (8, ["0123", "4567"], ("01234567", False)),
        (3, ["aéé"], ("é", True)),
        (5, ["€", "€"], ("€", True)),
        (6, ["€", "€"], ("€€", False)),
        (0, ["x"], ("", True)),
        (0, [], ("", False)),
        (2, ["\ud800"], ("?", False)),
    ],
)
def test_the_end_is_kept_and_no_character_is_halved(
    limit: int, pieces: list[str], end: tuple[str, bool]
) -> None:
    for last in range(2):
        kept = Ending(limit)
        for piece in pieces[: len(pieces) - last]:
            kept.add(piece)
        assert kept.text("".join(pieces[len(pieces) - last :])) == end


def test_coloured_output_of_a_tool_is_shown_without_colours() -> None:
    assert plain("\x1b[32mok\x1b[0m\n") == "ok\n"
    assert plain("left\r\nalone") == "left\r\nalone"
