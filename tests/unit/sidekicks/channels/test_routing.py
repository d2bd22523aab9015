"""Who answers: the product's cases, and what must hold for any text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidekicks.channels.mentions import find_mentions, without_code
from sidekicks.channels.routing import Route, route
from sidekicks.models import Channel

CASES = json.loads((Path(__file__).parents[3] / "data/routing_cases.json").read_text("utf-8"))["cases"]
AGENTS = ("ada", "bob", "eve", "mm", "code", "codex")


def routed(text: str, members: tuple[str, ...] = ("ada", "bob"), last: str | None = None) -> Route:
    return route(text, Channel(id="1", members=members), AGENTS, last)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    channel = Channel(id="1", members=tuple(case["members"]), direct=case["direct"])
    found = route(case["text"], channel, case["agents"], case["last_answerer"])
    assert {
        "recipients": list(found.recipients),
        "joins": list(found.joins),
        "command": found.command,
        "sent": found.sent,
        "code": found.code,
    } == case["expect"]


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("@ada.", ["ada"]),
        ("@ada: hi", ["ada"]),
        ("_@ada_ and **@bob**", ["ada", "bob"]),
        (".@ada look", ["ada"]),
        ("done.@ada", ["ada"]),
        ("@ada- look", ["ada"]),
        ("@ada—look", ["ada"]),
        ("- @ada\n- @bob", ["ada", "bob"]),
        ("> @ada", ["ada"]),
        ("한국어@ada에게", ["ada"]),
        ("@adaé", []),
        ("café@ada", []),
        ("@ada.py", []),
        ("@ada/", []),
        ("@ada\\x", []),
        ("@ada@example.org", []),
        ("@@ada", []),
        ("root@ada", []),
        ("me-@ada.org", []),
        ("src/@ada", []),
        ("see http://x.org/?by=@ada", []),
        ("``a ` @ada`` b", []),
        ("a ` b @ada", ["ada"]),
        ("`` ` `` @ada `x`", ["ada"]),
        ("a `b\n\n@ada` c", ["ada"]),
        ("\\`@ada\\`", ["ada"]),
        ("~~~\n@ada\n~~~\n@bob", ["bob"]),
        ("````\n```\n@ada\n````\n@bob", ["bob"]),
        ("```python\n@ada", []),
        ("```@ada``` @bob", ["bob"]),
        ("> ```\n> @ada\n> ```\n@bob", ["bob"]),
        ("`@ada` `@bob` @eve", ["eve"]),
    ],
)
def test_a_mention_is_found_as_a_person_reads_it(text: str, mentioned: list[str]) -> None:
    assert [mention.name for mention in find_mentions(text, AGENTS)] == mentioned


@pytest.mark.parametrize(
    ("text", "sent"),
    [("@ada: /plan x", "/plan x"), ("  /plan", "/plan"), ("@ada,\n@bob /plan @x", "/plan @x")],
)
def test_marks_around_leading_mentions_do_not_hide_a_command(text: str, sent: str) -> None:
    found = routed(text)
    assert found.command
    assert found.sent == sent


def test_after_a_mention_a_prefix_belongs_to_the_command() -> None:
    assert routed("@ada /bob:plan") == Route(recipients=("ada",), sent="/bob:plan", command=True)


def test_an_unknown_prefix_is_a_command_like_any_other() -> None:
    assert routed("/skill:x y", last="bob") == Route(recipients=("bob",), sent="/skill:x y", command=True)


def test_a_direct_conversation_takes_its_own_prefix_off_and_no_other() -> None:
    channel = Channel(id="1", members=("mm",), direct="mm")
    assert route("/mm:plan x", channel, AGENTS, None).sent == "/plan x"
    other = route("/bob:plan x", channel, AGENTS, None)
    assert (other.recipients, other.sent, other.command) == (("mm",), "/bob:plan x", True)
    assert not route("@mm /plan", channel, AGENTS, None).command


def test_a_channel_without_members_has_no_recipient() -> None:
    assert routed("hello", members=(), last="ada").code == "no-recipient"


PIECES = st.lists(
    st.sampled_from(
        ["@ada", "@BOB", "@", "`", "```", "~~~", "\n", "\n\n", " ", "/", "\\", ".", "x", "é", "看", ":"]
    )
)
TEXTS = st.one_of(st.text(), PIECES.map("".join))


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, members=st.lists(st.sampled_from(AGENTS), unique=True), last=st.sampled_from(AGENTS))
def test_any_text_has_a_route(text: str, members: list[str], last: str) -> None:
    found = route(text, Channel(id="1", members=tuple(members)), AGENTS, last)
    assert set(found.recipients) <= set(AGENTS)
    assert len(set(found.recipients)) == len(found.recipients)
    assert set(found.joins) == set(found.recipients) - set(members)
    assert (found.code == "no-recipient") == (not found.recipients)
    assert found.sent in text
    assert found.command or found.sent == text


@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_a_mention_stands_where_it_says(text: str) -> None:
    assert len(without_code(text)) == len(text)
    for mention in find_mentions(text, AGENTS):
        assert text[mention.start : mention.end].lower() == f"@{mention.name}"


@pytest.mark.timeout(10)
def test_unclosed_backticks_do_not_take_long() -> None:
    text = " ".join("`" * n for n in range(1, 1_500)) + " @ada"
    assert [mention.name for mention in find_mentions(text, AGENTS)] == ["ada"]
