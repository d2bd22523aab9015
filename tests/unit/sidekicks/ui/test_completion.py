"""What `@` and `/` offer."""

from __future__ import annotations

import pytest

from sidekicks.models import AgentStatus, Command
from sidekicks.ui.composer.completion import Candidates, Query, offers, query

AGENTS = tuple(
    AgentStatus(name=name, title=title, icon="", description="", state="ready")
    for name, title in (("mm", "Mini Me"), ("codex", "Codex"), ("claude", "Claude"))
)
COMMANDS = {
    "mm": (Command(name="compact", description="Shorten the context"),),
    "codex": (Command(name="review", description="Review", hint="branch"),),
}


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("@", Query("mention", "", 0)),
        ("hello @co", Query("mention", "co", 6)),
        ("(@mm", Query("mention", "mm", 1)),
        ("me@example", None),
        ("hello @co ", None),
        ("/", Query("command", "", 0)),
        ("/comp", Query("command", "comp", 0)),
        ("@mm /comp", Query("command", "comp", 4)),
        ("and /or", None),
        ("/compact now", None),
        ("", None),
    ],
)
def test_what_is_being_completed(before: str, expected: Query | None) -> None:
    assert query(before) == expected


def texts(asked: str, candidates: Candidates) -> list[str]:
    found = query(asked)
    assert found is not None
    return [offer.text for offer in offers(found, candidates)]


def test_agents_are_offered_by_name_and_title_those_that_begin_so_first() -> None:
    assert texts("@", Candidates(AGENTS)) == ["@mm", "@codex", "@claude"]
    assert texts("@c", Candidates(AGENTS)) == ["@codex", "@claude"]
    assert texts("@min", Candidates(AGENTS)) == ["@mm"]


def test_what_is_typed_out_offers_nothing_so_that_enter_sends() -> None:
    assert texts("ask @codex", Candidates(AGENTS)) == []
    assert texts("/Review", Candidates(AGENTS, {"codex": COMMANDS["codex"]})) == []


def test_a_direct_conversation_offers_no_mentions() -> None:
    assert texts("@", Candidates(AGENTS, direct=True)) == []


def test_commands_name_their_agent_only_where_there_are_several() -> None:
    assert texts("/", Candidates(AGENTS, COMMANDS)) == ["/mm:compact", "/codex:review"]
    assert texts("/rev", Candidates(AGENTS, {"codex": COMMANDS["codex"]})) == ["/review"]
