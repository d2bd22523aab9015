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
        ("<thinking>why</thinking>\nbecause", ("because", "why")),
        ("\n<thought>why</thought>because", ("\nbecause", "why")),
        ("<reasoning>why</reasoning>because", ("because", "why")),
        ("[THINK]why[/THINK]because", ("because", "why")),
        ("<seed:think>why</seed:think>because", ("because", "why")),
        ("<|channel>thought\nwhy<channel|>because", ("because", "\nwhy")),
        (
            "<|channel|>analysis<|message|>why<|end|><|start|>assistant<|channel|>final<|message|>because",
            ("because", "why"),
        ),
        ("<|channel|>final<|message|>because", ("because", "")),
        ("<think>a</think><think>b</think>c", ("c", "ab")),
        ("<think>say <thinking> and </thinking></think>c", ("c", "say <thinking> and </thinking>")),
        ("As XML:\n<thinking>a</thinking>", ("As XML:\n<thinking>a</thinking>", "")),
    ],
)
def test_tags(text: str, expected: tuple[str, str], size: int) -> None:
    assert split(text, size) == expected


@pytest.mark.parametrize("size", [1, 5, 100])
def test_inside_from_the_start(size: int) -> None:
    assert split("why</think>because", size, inside=True) == ("because", "why")


@pytest.mark.parametrize("close", ["[/THINK]", "</seed:think>", "<channel|>"])
@pytest.mark.parametrize("size", [1, 5, 100])
def test_inside_from_the_start_with_other_tags(close: str, size: int) -> None:
    assert split(f"why{close}because", size, inside=True) == ("because", "why")
