"""What is understood though it is not exact, what is refused all the same; nothing else ever changes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_agent.fileedit.edits import Edit, EditRefused, resolve, told
from minime_agent.fileedit.encoding import NotTextError
from minime_agent.fileedit.textfile import TextFile


def edited(text: str, *pairs: tuple[str, str]) -> str:
    spans = resolve(text, [Edit(old, new) for old, new in pairs])
    file = TextFile.decode(text.encode())
    return file.replaced([(span.start, span.end, span.new) for span in spans]).decode()


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        # blanks for a tab, one line
        ("if x:\n\ty = 1\n", "    y = 1", "    y = 2", "if x:\n\ty = 2\n"),
        # two blanks a level for four
        (
            "a:\n    b:\n        c\n",
            "a:\n  b:\n    c",
            "a:\n  b:\n    c\n    d:\n      e",
            "a:\n    b:\n        c\n        d:\n            e\n",
        ),
        # a tab for four blanks
        ("def f():\n    return 1\n", "def f():\n\treturn 1", "def f():\n\tif x:\n\t\treturn 2", None),
        # an empty line before, one behind
        ("a\nb\nc\n", "\nb\n\n", "\nB\n\n", "a\nB\nc\n"),
        # a dedent below the block's own level
        (
            "x:\n    if a:\n        b\n",
            "  if a:\n    b",
            "  if a:\n    b\nz",
            "x:\n    if a:\n        b\nz\n",
        ),
        # lines that the edit leaves as they were keep their own characters and indentation
        ("“a” –\n“b”\n“c”\n", '"a" -\n"b"\n"c"', '"a" -\n"B"\n"c"', '“a” –\n"B"\n“c”\n'),
        ("\tif “a”:\n\t\tb\n", 'if "a":\nb', 'if "a":\nc', "\tif “a”:\n\t\tc\n"),
        # an empty line that only new begins with is meant
        ("a\n\tb\n", "  b", "\n  B", "a\n\n\tB\n"),
        # one line of tabs, or two of a lesser step, make no unit
        (
            "\tx\na:\n    b:\n        c\n    d:\n        e\n      f\n        g\n",
            "\td:",
            "\td:\n\t\tD",
            "\tx\na:\n    b:\n        c\n    d:\n        D\n        e\n      f\n        g\n",
        ),
        # lines that go take their line end with them
        ("a\n  b\nc\n", "    b", "", "a\nc\n"),
        ("a\xa0= “x” – y\n", 'a = "x" - y', "a = 1", "a = 1\n"),
        ("one\ntwo\nthree\n", "1\tone\n2\ttwo", "1\tONE\n2\ttwo", "ONE\ntwo\nthree\n"),
        ("x = 1\n", "x = 1", "x = “1”", "x = “1”\n"),
    ],
)
def test_is_understood(text: str, old: str, new: str, after: str | None) -> None:
    expected = after if after is not None else "def f():\n    if x:\n        return 2\n"
    assert edited(text, (old, new)) == expected


@pytest.mark.parametrize(
    ("text", "old", "words"),
    [
        ("max = 1\n", "   x = 1", "not found"),  # a blank edge never begins inside a word
        ("  a\n\ta\n", "        a", "more than once"),
        ("“x”\n‘x’ “x”\n", '"x"', "more than once"),
        ("Limit = 5\n", "limit = 5", "Limit = 5"),
        ("a\nb\nc\n", "a\nX\nc", "not found"),
        ("a\nb\n", "a\\nb", "not found"),
        ("5\tx\n", "7\ty\n6\tx", "not found"),  # numbers that fall were never shown
        ("x\ny\n", "1\tx\ny", "not found"),  # a line without one
        ("x\n", "   \n", "not found"),
        ("“x”\n", "new", "identical"),
    ],
)
def test_is_refused(text: str, old: str, words: str) -> None:
    with pytest.raises(EditRefused, match=re.escape(words)):
        resolve(text, [Edit(old, "new")])


def test_what_was_not_taken_literally_is_said() -> None:
    spans = resolve("\ta\nb “q”\n", [Edit("    a", "    c"), Edit('b "q"', "d")])
    assert told(spans) == "1 matched ignoring whitespace, 1 matched with other quotes, dashes or blanks"
    assert told(resolve("a\n", [Edit("a", "b")])) == ""


def test_five_thousand_lines_that_are_not_there_are_answered_at_once() -> None:
    text = "\n".join(f"line {number} {{\n}}" for number in range(150_000))
    old = "\n".join(f"other {number} {{\n}}" for number in range(2_500))
    with pytest.raises(EditRefused, match="not found"):
        resolve(text, [Edit(old, "x")])
    with pytest.raises(EditRefused, match="in lines 2, 4"):
        resolve(text, [Edit("}", "x")])


MANY = "\n".join(f"line {number} {{\n  }}" for number in range(150_000))


@pytest.mark.parametrize(
    ("text", "old", "words"),
    [
        (MANY, "lime 77777 {", "155555\tline 77777 {"),
        (
            MANY,
            MANY[:60_000].replace("line 2000 {", "line 2000 ("),
            "3999\tline 1999 {\n4000\t  }\n4001\tline 2000 {",
        ),
        (MANY, "\n".join(["}", "{"] * 2_500), "Nothing in the file comes near it"),
        ("a b " * 200_000, "\na\n", "not found"),
        ("\n".join(f"{n * 7919} = x{n}" for n in range(2_999)), "quux() -> zzz\n" * 5_000, "not found"),
        (
            "x;" * 200_000 + "function foo(a){return a+1}" + "y;" * 200_000,
            "function foo(a){return a+2}",
            "Its first 25 characters stand in line 1; there the text is: …",
        ),
        ("start = 1 " + "x" * 100_000, "start = 2 " + "x" * 100_000, "(99770 characters more)"),
    ],
    ids=["one line", "where it differs", "common lines", "edges", "unlike", "one long line", "cut"],
)
def test_the_nearest_lines_of_something_huge_are_few(text: str, old: str, words: str) -> None:
    with pytest.raises(EditRefused) as refusal:
        resolve(text, [Edit(old, "x")])
    assert words in str(refusal.value)
    assert len(str(refusal.value)) < 4_000


LINES = st.text(alphabet="ab \t“\"'’-–\xa01|:", max_size=8)
TEXTS = st.lists(LINES, max_size=12).map("\n".join)


@given(text=TEXTS, pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3))
def test_any_edit_is_applied_at_one_place_or_refused(text: str, pairs: list[tuple[str, str]]) -> None:
    """What is around the places stays byte for byte; exact matches get exactly what was asked for."""
    try:
        spans = resolve(text, [Edit(old, new) for old, new in pairs])
    except EditRefused:
        return
    at, rest = 0, text
    result = edited(text, *pairs)
    for span in spans:
        assert result.startswith(text[at : span.start])
        result = result[len(text[at : span.start]) :]
        assert result.startswith(span.new)
        result, at = result[len(span.new) :], span.end
        old, new = pairs[span.number - 1]
        if not span.loosened:
            assert (rest[span.start : span.end], span.new) == (old, new)
            assert text.count(old) == 1
    assert result == text[at:]


@given(
    lines=st.lists(
        st.tuples(st.text(alphabet="abé \t", max_size=6), st.sampled_from(["\n", "\r\n"])), max_size=10
    ),
    last=st.text(alphabet="xyz", max_size=3),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
def test_a_file_keeps_its_mark_its_encoding_and_its_line_ends(
    lines: list[tuple[str, str]], last: str, encoding: str
) -> None:
    raw = "".join(line + end for line, end in lines) + "needle" + last
    data = raw.encode(encoding)
    file = TextFile.decode(data)
    [span] = resolve(file.text, [Edit("needle", "thread\nand")])
    after = file.replaced([(span.start, span.end, span.new)])
    assert after == raw.replace("needle", f"thread{file.newline}and").encode(encoding)


@given(
    lines=st.lists(
        st.tuples(st.sampled_from(["a", " b", "\té", "café noir", ""]), st.sampled_from(["\n", "\r\n"])),
        min_size=3,
        max_size=10,
    ),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252"]),
    places=st.sets(st.integers(0, 2), min_size=1),
)
def test_several_lines_change_and_no_byte_besides(
    lines: list[tuple[str, str]], encoding: str, places: set[int]
) -> None:
    rows = [(f"{line} #{number}", end) for number, (line, end) in enumerate(lines)]
    data = "".join(line + end for line, end in rows).encode(encoding)
    old, new = (
        "\n".join(f"{line}!" if changes and at in places else line for at, (line, _) in enumerate(rows[:3]))
        for changes in (False, True)
    )
    file = TextFile.decode(data)
    [span] = resolve(file.text, [Edit(old, new)])
    wanted = [f"{line}!{end}" if at in places else line + end for at, (line, end) in enumerate(rows)]
    assert file.replaced([(span.start, span.end, span.new)]) == "".join(wanted).encode(encoding)


@given(data=st.binary(max_size=60))
def test_bytes_that_are_no_text_are_never_decoded(data: bytes) -> None:
    try:
        file = TextFile.decode(data)
    except NotTextError:
        return
    assert file.replaced([]) == data
