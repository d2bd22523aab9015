"""What becomes of what is typed: kept or not, marked, waiting."""

from __future__ import annotations

from pathlib import Path

import pytest

from minime_agent.config.check import convert
from minime_agent.engine.session import Session
from minime_agent.repl.completing import completes
from minime_agent.repl.history import PromptHistory, may_be_kept
from minime_agent.repl.pasted import Pasted
from minime_agent.repl.waiting import Waiting


@pytest.mark.parametrize(
    "text",
    [
        " begins with a blank",
        "my api_key=abcdef",
        "password: hunter2",
        "the token is abc",
        "use sk-proj-abcdefghijklmnop",
        "ghp_abcdefghijklmnop",
        "Authorization: Bearer abcdefghijk",
        "-----BEGIN RSA PRIVATE KEY-----",
        "x" * 20_000,
        "look at [pasted 1: 60,000 lines]",
    ],
)
def test_what_is_never_kept(text: str) -> None:
    assert not may_be_kept(text)


@pytest.mark.parametrize("text", ["explain the tokens", "write a password field", "sort the secrets module"])
def test_what_is_kept(text: str) -> None:
    assert may_be_kept(text)


def test_a_long_history_is_shortened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MM_DATA_DIR", str(tmp_path))
    history = PromptHistory()
    for number in range(300):
        history.append_string(f"{number} {'x' * 5000}")
    again = list(PromptHistory().load_history_strings())
    assert again[0].startswith("299 ")
    assert 80 < len(again) < 150


def test_pasted() -> None:
    pasted = Pasted()
    assert pasted.mark("a\nb") == "a\nb"
    text = "line\n" * 999
    mark = pasted.mark(text)
    assert mark == "[pasted 1: 1,000 lines]"
    assert pasted.mark("y" * 3000) == "[pasted 2: 3,000 characters]"
    assert pasted.whole(f"see {mark} and [pasted 9: 3 lines]") == f"see {text} and [pasted 9: 3 lines]"


def test_what_waits(tmp_path: Path) -> None:
    waiting = Waiting(Session(convert({}), tmp_path))
    waiting.steer("one")
    waiting.follow_up("two")
    waiting.steer("three")
    assert waiting.shown == ["next: one", "next: three", "then: two"]
    assert waiting.take_back() == "three"
    assert waiting.next() == "one"
    assert waiting.next() == "two"
    assert waiting.next() is None
    waiting.follow_up("four")
    waiting.steer("five")
    assert waiting.take_all_back() == ["four", "five"]
    assert waiting.take_back() is None


@pytest.mark.parametrize("text", ["/", "/mod", "$rev", "look at @", 'look at @"my no', "/model sm"])
def test_what_can_be_completed(text: str) -> None:
    assert completes(text)


@pytest.mark.parametrize("text", ["", "hello", "a/b", "see /tmp", "me@example.org", "costs $5"])
def test_what_cannot(text: str) -> None:
    assert not completes(text)
