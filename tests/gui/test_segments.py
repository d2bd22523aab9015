"""Cut Markdown reads as it would have in one piece: nothing lost, numbers and nesting kept, at any size."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument, QTextTable

from sidekicks.ui.conversation.reading import FEATURES
from sidekicks.ui.conversation.segments import LIMIT, Segment, Splitter, resolved

pytestmark = pytest.mark.usefixtures("qapp")


def split(text: str) -> tuple[list[Segment], dict[str, str]]:
    """The segments of a finished text, and its link reference definitions."""
    splitter = Splitter()
    done = splitter.feed(text)
    return done + splitter.finish(), splitter.definitions


def cut(text: str, limit: int = LIMIT, step: int = 0) -> tuple[list[Segment], dict[str, str]]:
    splitter = Splitter(limit, limit // 3)
    step = step or len(text) or 1
    done = [s for at in range(0, len(text), step) for s in splitter.feed(text[at : at + step])]
    return done + splitter.finish(), splitter.definitions


def read(markdown: str, drop_head: bool = False) -> QTextDocument:
    document = QTextDocument()
    document.setMarkdown(markdown, FEATURES)
    if drop_head:
        tables = [f for f in document.rootFrame().childFrames() if isinstance(f, QTextTable)]
        tables[0].removeRows(0, 1)
    return document


def words(documents: list[QTextDocument]) -> str:
    return "".join("".join(d.toPlainText().split()) for d in documents).replace("\u200b", "")


def items(document: QTextDocument, depth: int, start: int | None) -> list[tuple[int, str]]:
    """Depth and marker of every list item: what a reader sees before it."""
    found: list[tuple[int, str]] = []
    first = None
    block = document.begin()
    while block.isValid():
        listed = block.textList()
        if listed is not None:
            first = first or listed
            if listed == first and start is not None:
                form = listed.format()
                form.setStart(start)
                listed.setFormat(form)
            found.append((depth + listed.format().indent(), listed.itemText(block)))
        block = block.next()
    return found


def check_same(text: str, limit: int, step: int = 0) -> None:
    segments, definitions = cut(text, limit, step)
    assert "".join(s.source for s in segments) == text
    pieces = [read(resolved(s, definitions), s.join == "table") for s in segments]
    whole = read(text)
    assert words(pieces) == words([whole])
    found = [i for s, d in zip(segments, pieces, strict=True) for i in items(d, s.depth, s.start)]
    assert found == items(whole, 0, None)


WORD = st.sampled_from(["alpha", "beta", "**strong**", "`code`", "gamma delta", "[link](http://a.b)", "x"])
TEXT = st.lists(WORD, min_size=1, max_size=12).map(" ".join)
CODE = st.lists(
    st.sampled_from(["x = 1", "", "    y", "# no heading", "- no item", "| no | table |"]), max_size=9
)


def indented(block: str, by: str) -> str:
    return "\n".join(by + line if line else line for line in block.split("\n"))


@st.composite
def fence(draw: st.DrawFn) -> str:
    return "\n".join(["```python", *draw(CODE), "z", "```"])


@st.composite
def table(draw: st.DrawFn) -> str:
    rows = draw(st.lists(st.tuples(WORD, WORD), min_size=1, max_size=9))
    return "\n".join(["| a | b |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows)])


@st.composite
def listing(draw: st.DrawFn, depth: int = 0) -> str:
    ordered = draw(st.booleans())
    start = draw(st.sampled_from([1, 1, 1, 9]))
    always_same = draw(st.booleans())
    out: list[str] = []
    for k in range(draw(st.integers(1, 5))):
        marker = f"{start if always_same else start + k}. " if ordered else "- "
        inner = [draw(TEXT)]
        if depth < 2 and draw(st.booleans()):
            inner.append(draw(st.one_of(listing(depth + 1), fence(), TEXT.map("\n{}".format))))
        out.append(marker + indented("\n".join(inner), " " * len(marker)).lstrip())
    return "\n".join(out)


QUOTE = st.lists(TEXT, min_size=1, max_size=6).map(lambda lines: "\n".join(f"> {line}" for line in lines))
BLOCK = st.one_of(
    TEXT, TEXT.map("## {}".format), fence(), table(), listing(), QUOTE, st.just("***"), st.just("---")
)
DOCUMENT = st.lists(BLOCK, min_size=1, max_size=8).map("\n\n".join)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENT, st.sampled_from([60, 120, 240]), st.sampled_from([0, 1, 7]))
def test_segments_read_like_the_whole(text: str, limit: int, step: int) -> None:
    check_same(text, limit, step)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="a \t\n\r`~#>-*_1.|[]():\\<é\u200d\U0001f600", max_size=400), st.integers(8, 100))
@example("`" * 400, 8)
@example("| a |\n|---|\n" + "| b |\n" * 40, 9)
def test_no_character_is_lost_whatever_is_written(text: str, limit: int) -> None:
    segments, definitions = cut(text, limit, 5)
    assert "".join(s.source for s in segments) == text
    for segment in segments:
        resolved(segment, definitions)


@pytest.mark.parametrize("step", [0, 3])
def test_a_long_list_keeps_its_numbers_nested_too(step: int) -> None:
    nested = "\n".join(f"   1. inner {k} {'word ' * 9}" for k in range(60))
    check_same(f"1. first\n{nested}\n1. second\n1. third", LIMIT, step)
    outer = "\n".join(f"1. item {k} {'word ' * 9}" for k in range(120))
    check_same(outer, LIMIT, step)


def test_a_long_fence_in_a_list_stays_code_and_in_its_item() -> None:
    code = "\n".join(f"   value_{k} = {k}  # {'x' * 40}" for k in range(200))
    text = f"1. look\n   ```python\n{code}\n   ```\n   after\n2. next"
    check_same(text, LIMIT)
    segments, _ = split(text)
    assert len(segments) > 4
    assert all(s.text.startswith("```python\n") and s.depth == 1 for s in segments if s.join == "fence")


def test_a_long_table_goes_on_without_its_head_and_with_the_same_columns() -> None:
    rows = "\n".join(f"| {k} | {'word ' * (k % 9)} |" for k in range(300))
    text = f"before\n\n| n | words |\n|---|---|\n{rows}\n\nafter"
    check_same(text, LIMIT)
    parts = [s for s in split(text)[0] if "|" in s.text]
    assert parts[0].goes_on == "table"
    assert all(s.join == "table" for s in parts[1:])
    assert len({s.weights for s in parts}) == 1
    assert parts[0].weights


def test_a_table_is_a_segment_of_its_own() -> None:
    segments, _ = split("text\n\n```\ncode\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\nmore\n")
    assert [s.source.strip()[:5] for s in segments] == ["text\n", "| a |", "more"]


def test_links_resolve_across_segments_whichever_way_they_point() -> None:
    filler = "word " * 600
    text = f"[first]: http://one.example\n\nsee [second] and [x][First]\n\n{filler}\n\n[second]: http://two.example"
    segments, definitions = split(text)
    assert len(segments) > 1
    html = "".join(read(resolved(s, definitions)).toHtml() for s in segments)
    assert "http://one.example" in html
    assert "http://two.example" in html


def test_one_endless_line_is_cut_at_words_and_not_inside_markup() -> None:
    text = " ".join(f"word{k} **bold {k}** `code {k}`" for k in range(2_000))
    check_same(text, LIMIT)
    for segment in split(text)[0]:
        assert len(segment.text) <= LIMIT + 100
        assert segment.text.count("**") % 2 == 0


@pytest.mark.parametrize(
    "line",
    ["word " * 12 + "\n", "- item with words\n", "    code\n", "> quoted words\n", "| a | b |\n", "word "],
)
def test_segments_are_bounded_whatever_block_never_ends(line: str) -> None:
    for opening in ("", "```python\n", "| a | b |\n|---|---|\n", "1. x\n   - y\n"):
        segments, _ = cut(opening + line * (60_000 // len(line)), LIMIT, 977)
        assert max(len(s.text) for s in segments) <= 2 * LIMIT


def test_streaming_costs_the_same_at_the_end_as_at_the_beginning() -> None:
    text = (
        "## Step\n\n" + "A sentence of some words. " * 12 + "\n\n```python\nx = 1\n```\n\n- a\n- b\n\n"
    ) * 900
    splitter = Splitter()
    times: list[float] = []
    for at in range(0, len(text), 40):
        began = perf_counter()
        splitter.feed(text[at : at + 40])
        splitter.tail()
        times.append(perf_counter() - began)
    tenth = len(times) // 10
    assert sorted(times[-tenth:])[tenth // 2] < 3 * sorted(times[:tenth])[tenth // 2] + 1e-4
