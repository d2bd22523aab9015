"""A change as lines: numbered rightly, whole within its bound, quick whatever it is given."""

from __future__ import annotations

from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from sidekicks.ui.conversation.diff_lines import DiffLine, diff_lines

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30)


def test_lines_have_the_numbers_of_their_files() -> None:
    lines, more = diff_lines("a\nb\nc\nd\ne\n", "a\nb\nX\nd\ne\n", 100)
    assert more == 0
    assert lines == [
        DiffLine(" ", "a", 1, 1),
        DiffLine(" ", "b", 2, 2),
        DiffLine("-", "c", old=3),
        DiffLine("+", "X", new=3),
        DiffLine(" ", "d", 4, 4),
        DiffLine(" ", "e", 5, 5),
    ]


def test_what_is_far_from_the_change_is_left_out() -> None:
    old = "\n".join(str(k) for k in range(100))
    lines, _ = diff_lines(old, old.replace("50", "fifty"), 100)
    assert [line.sign for line in lines] == ["…", " ", " ", " ", "-", "+", " ", " ", " ", "…"]
    assert lines[4].old == 51


def test_a_new_file_is_all_added() -> None:
    lines, _ = diff_lines("", "one\ntwo\n", 100)
    assert [(line.sign, line.new) for line in lines] == [("+", 1), ("+", 2)]


@given(LINES, LINES)
def test_removed_and_added_lines_are_those_of_the_texts(old: list[str], new: list[str]) -> None:
    lines, _ = diff_lines("\n".join(old), "\n".join(new), 10_000)
    for line in lines:
        if line.old is not None:
            assert old[line.old - 1] == line.text
        if line.new is not None:
            assert new[line.new - 1] == line.text


def test_enormous_changes_are_bounded_in_lines_and_time() -> None:
    old = "\n".join(f"old {k}" for k in range(50_000))
    began = process_time()
    lines, more = diff_lines(old, old.replace("old", "new"), 400)
    assert len(lines) == 400
    assert more == 99_600
    assert process_time() - began < 1
