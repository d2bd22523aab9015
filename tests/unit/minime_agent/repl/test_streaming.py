from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from minime_agent.repl.streaming import LineStream, MarkdownStream

ANSWER = """# Title

A paragraph
of two lines.

- one
- two

  still two

```python
x = 1

y = 2
```

| a | b |
|---|---|
| 1 | 2 |

End."""


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_nothing_is_lost_or_changed(size: int) -> None:
    stream = MarkdownStream()
    pieces = [stream.add(ANSWER[at : at + size]) for at in range(0, len(ANSWER), size)]
    assert "".join([*pieces, stream.end()]) == ANSWER


def test_a_block_leaves_when_another_has_begun() -> None:
    stream = MarkdownStream()
    left = [done for character in ANSWER if (done := stream.add(character))]
    assert [block.split("\n")[0] for block in left[:4]] == ["# Title", "A paragraph", "- one", "```python"]
    assert left[3] == "```python\nx = 1\n\ny = 2\n```\n\n"


def test_an_open_fence_stays() -> None:
    stream = MarkdownStream()
    assert stream.add("Look:\n\n```\na\n\n# no title\n\nb\n") == "Look:\n\n"
    assert stream.tail == "```\na\n\n# no title\n\nb\n"


def test_a_long_block_costs_no_more_than_some_times_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    parse = MarkdownIt.parse

    def count(self: MarkdownIt, text: str) -> list[Token]:
        parsed.append(len(text))
        return parse(self, text)

    monkeypatch.setattr(MarkdownIt, "parse", count)
    stream, size = MarkdownStream(), 0
    for number in range(5_000):
        line = f"line {number} of a long block of code\n" if number else "```\n"
        stream.add(line)
        size += len(line)
    assert sum(parsed) < 20 * size


def test_lines() -> None:
    stream = LineStream()
    assert [stream.add(text) for text in ("a", "b\nc", "\n\nd")] == ["", "ab\n", "c\n\n"]
    assert (stream.end(), stream.end()) == ("d", "")
