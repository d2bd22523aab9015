"""Exact replacement: what is replaced, what is refused, what stays byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_agent.fileedit import atomic
from minime_agent.fileedit.edits import Edit, EditRefused, resolve
from minime_agent.fileedit.encoding import NotTextError
from minime_agent.fileedit.textfile import TextFile


def edited(data: bytes, *edits: tuple[str, str]) -> bytes:
    file = TextFile.decode(data)
    spans = resolve(file.text, [Edit(old, new) for old, new in edits])
    return file.replaced([(span.start, span.end, span.new) for span in spans])


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        (b"a\nb\n", [("b", "c")], b"a\nc\n"),
        (b"a\r\nb\r\nc\r\n", [("a\nb", "x\ny\nz")], b"x\r\ny\r\nz\r\nc\r\n"),
        (b"\xef\xbb\xbfa\n", [("a", "b")], b"\xef\xbb\xbfb\n"),
        (b"a\nb", [("b", "c")], b"a\nc"),
        (b"a\r\nb\nc\r\n", [("b", "x")], b"a\r\nx\nc\r\n"),
        ("é\n".encode("utf-16"), [("é", "è")], "è\n".encode("utf-16")),
        (b"one two", [("two", "one"), ("one", "two")], b"two one"),
        (b"a\r\nb\r\n", [("\nb", "")], b"a\r\n"),
        # an edit changes no line end that it does not name
        (b"a\r\nb\nc\r\nd\r\n", [("a\nb\nc\nd", "a\nB\nc\nd")], b"a\r\nB\nc\r\nd\r\n"),
        (b"a\r\nb\nc\r\nd\r\n", [("a\nb\nc", "a\nb\nX\nc")], b"a\r\nb\nX\r\nc\r\nd\r\n"),
        (b"a\nb\r\nc\n", [("a\nb\nc", "x\ny\nz")], b"x\ny\r\nz\n"),
        (b"a\rb\rc", [("a\nb", "a\nx\ny")], b"a\rx\ry\rc"),
        (b"caf\xe9 au lait\n", [("lait", "lait sucr\u00e9")], b"caf\xe9 au lait sucr\xe9\n"),
        (b"\x93caf\xe9\x94 \x80\n", [("café", "thé–")], b"\x93th\xe9\x96\x94 \x80\n"),
        ("é\n".encode("utf-32"), [("é", "è")], "è\n".encode("utf-32")),
    ],
)
def test_what_is_replaced(before: bytes, edits: list[tuple[str, str]], after: bytes) -> None:
    assert edited(before, *edits) == after


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([("port", "x")], "stands 2 times, in lines 1, 3. Add lines"),
        ([("host = a", "x"), ("a\nport = 3", "y")], "edits 1 and 2 overlap"),
        ([("", "x")], "old is empty"),
        ([("host = a", "host = a")], "nothing would change"),
        ([], "no edits"),
        (
            [("Host = a", "x")],
            "The nearest lines (number, tab, text); copy these into old, without the numbers:\n2\thost = a",
        ),
        ([("  host = a\nport = 4", "x")], "2\thost = a\n3\tport = 3"),
        ([("nothing of the kind", "x")], "Nothing in the file comes near it"),
    ],
)
def test_what_is_refused(edits: list[tuple[str, str]], said: str) -> None:
    with pytest.raises(EditRefused) as refusal:
        edited(b"port = 1\nhost = a\nport = 3\n", *edits)
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        b"\xff\xfea",  # half of a UTF-16 character
        "naïve".encode() + b" \xff",  # damaged UTF-8
        b"caf\xe9 \x01",
        "привет, мир".encode("cp1251"),
        "καλημέρα".encode("iso8859-7"),
        "日本".encode("shift_jis"),
        "テスト".encode("shift_jis"),
        "中文".encode("gbk"),
        b"caf\xe9 \x81",  # in neither of the two
    ],
)
def test_what_is_not_text_is_never_rewritten(data: bytes) -> None:
    with pytest.raises(NotTextError):
        TextFile.decode(data)


@given(
    lines=st.lists(st.sampled_from(["alpha", "beta", "", "  gamma", "é"]), min_size=1, max_size=12),
    ends=st.lists(st.sampled_from(["\n", "\r\n"]), min_size=12, max_size=12),
    place=st.integers(0, 11),
)
def test_all_but_the_edit_stays_byte_for_byte(lines: list[str], ends: list[str], place: int) -> None:
    place %= len(lines)
    rows = [(line + end).encode() for line, end in zip(lines, ends, strict=False)]
    rows[place] = b"UNIQUE" + ends[place].encode()
    expected = list(rows)
    expected[place] = b"changed" + ends[place].encode()
    assert edited(b"".join(rows), ("UNIQUE", "changed")) == b"".join(expected)


def test_what_the_encoding_has_not_is_not_written() -> None:
    with pytest.raises(UnicodeEncodeError):
        edited(b"caf\xe9 au lait\n", ("lait", "lait à 3 €"))


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
