"""The text of the settings: where one is in it, what can stand there, and changes that keep the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sidekicks.config.known_agents import KNOWN, KnownAgent, known_agents
from sidekicks.config.load import load
from sidekicks.config.schema import schema_text
from sidekicks.ui.settings import edits, hints
from sidekicks.ui.settings.place import ITEM, key_at, place

SCHEMA = json.loads(schema_text())


@pytest.mark.parametrize(
    ("text", "path", "kind", "typed"),
    [
        ("the|", (), "key", "the"),
        ("theme: |", ("theme",), "value", ""),
        ("theme: da|", ("theme",), "value", "da"),
        ("limits:\n  max|", ("limits",), "key", "max"),
        ("agents:\n  - na|", ("agents", ITEM), "key", "na"),
        ("agents:\n- na|", ("agents", ITEM), "key", "na"),
        ("agents:\n- name: a\n  ti|", ("agents", ITEM), "key", "ti"),
        ("agents:\n  - name: a\n    |", ("agents", ITEM), "key", ""),
        (
            "agents:\n  - name: a\n\n    # note\n    permissions: a|",
            ("agents", ITEM, "permissions"),
            "value",
            "a",
        ),
        (
            "agents:\n  - name: a\n    mcpServers:\n      - ty|",
            ("agents", ITEM, "mcpServers", ITEM),
            "key",
            "ty",
        ),
        ("agents:\n  - name: a\n    env:\n      A: b\n    cw|", ("agents", ITEM), "key", "cw"),
        ("agents:\n  - name: a\nlim|", (), "key", "lim"),
    ],
)
def test_where_the_cursor_is(text: str, path: tuple[str, ...], kind: str, typed: str) -> None:
    lines = text.split("\n")
    found = place([*lines[:-1], lines[-1].replace("|", "")], len(lines) - 1, lines[-1].index("|"))
    assert found is not None
    assert (found.path, found.kind, found.typed) == (path, kind, typed)


@pytest.mark.parametrize("text", ["# the", "theme: dark # da", "args: [--a", 'title: "da', "a b"])
def test_where_nothing_can_be_completed(text: str) -> None:
    assert place([text], 0, len(text)) is None


def test_what_a_key_is_for() -> None:
    lines = ["agents:", "  - name: a", "    permissions: ask"]
    path = key_at(lines, 2, 8)
    assert path == ("agents", ITEM, "permissions")
    said = hints.explanation(SCHEMA, path)
    assert said.startswith("Who has to agree")
    assert said.endswith("ask | read-only-free | all-free\ndefault: ask")
    assert key_at(lines, 2, 20) is None


def test_what_must_be_there_is_offered_first() -> None:
    texts = [offer.text for offer in hints.keys(SCHEMA, ("agents", ITEM))]
    assert texts[:2] == ["name: ", "command: "]
    assert "env:" in texts
    assert hints.keys(SCHEMA, ("nothing", "here")) == []


def test_a_value_is_changed_and_the_rest_stays() -> None:
    text = "# mine\ntheme: dark   # at night\nagents: []\n"
    assert edits.with_scalar(text, "theme", "light") == "# mine\ntheme: light   # at night\nagents: []\n"
    assert (
        edits.with_scalar(text, "language", "fr")
        == "# mine\nlanguage: fr\ntheme: dark   # at night\nagents: []\n"
    )
    assert edits.scalar(text, "theme") == "dark"
    assert edits.scalar(text, "language") == ""


@pytest.mark.parametrize(
    "text",
    [
        "agents: []\n",
        "agents:\n  - name: a\n    command: b\n",
        "agents:\n- name: a\n  command: b\ntheme: dark\n",
        "agents:\n    - name: a\n      command: b\n\n    # - name: c\n    #   command: d\n",
        "theme: dark\n",
        "",
    ],
)
@pytest.mark.parametrize("agent", KNOWN, ids=[agent.name for agent in KNOWN])
def test_every_agent_that_can_be_added_makes_a_valid_file(
    text: str, agent: KnownAgent, tmp_path: Path
) -> None:
    changed, line = edits.with_agent(text, agent.entry())
    loaded = load(changed, tmp_path, {})
    assert loaded.problems == ()
    assert loaded.config is not None
    assert [one.name for one in loaded.config.agents][-1] == agent.name
    assert changed.split("\n")[line].strip() == f"- name: {agent.name}"
    for kept in text.split("\n"):
        assert kept in changed.split("\n") or kept == "agents: []"


def test_agents_that_are_installed_come_first() -> None:
    found = known_agents(lambda command: "/bin/qwen" if command == "qwen" else None)
    assert [agent.name for agent in found if agent.installed] == ["mm", "qwen"]
    assert [agent.name for agent in found[:2]] == ["mm", "qwen"]
    gemini = next(agent for agent in found if agent.name == "gemini")
    assert "command: npx" in gemini.entry()


def test_a_word_is_replaced_by_the_one_that_was_meant() -> None:
    assert edits.suggestion("unknown key `titel`: did you mean `title`?") == "title"
    assert edits.suggestion("this is wrong") == ""
    assert edits.replaced_word("a: 1\n  titel: x\n", 2, 3, "title") == "a: 1\n  title: x\n"
    assert edits.replaced_word("a", 7, 1, "b") == "a"
