from __future__ import annotations

import pytest

from minime_agent.engine.think import ThinkFilter


def split(text: str, size: int, inside: bool = False) -> tuple[str, str]:
    think = ThinkFilter(inside)
    pieces = [piece for at in range(0, len(text), size) for piece in think.feed(text[at : at + size])]
    pieces += think.end()
    return tuple("".join(text for kind, text in pieces if kind == wanted) for wanted in ("text", "reasoning"))  # type: ignore[return-value] (two of them)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>why</think>because", ("because", "why")),
        ("<think>\nwhy\n</think>\n\nbecause", ("because", "\nwhy\n")),
        ("a\n<think>b</think>c", ("a\nc", "b")),
        ("no tags < here", ("no tags < here", "")),
        ("write `<think>` and `</think>` yourself", ("write `<think>` and `</think>` yourself", "")),
        ("<think>never closed", ("", "never closed")),
    ],
)
def test_tags(text: str, expected: tuple[str, str], size: int) -> None:
    assert split(text, size) == expected


@pytest.mark.parametrize("size", [1, 5, 100])
def test_inside_from_the_start(size: int) -> None:
    assert split("why</think>because", size, inside=True) == ("because", "why")
