"""The documents say what is so: their snippets are valid, and every command and option is named."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from minime_agent.config.load import load as load_mm
from sidekicks.commands.arguments import parser
from sidekicks.config.load import load

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
SNIPPET = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)")
ENVIRONMENT = {"ANTHROPIC_API_KEY": "x", "OPENAI_API_KEY": "x", "MISTRAL_API_KEY": "x"}


def snippets() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        if page.name == "configuration.md":
            continue  # made from the schema, whose examples have a test of their own
        text = page.read_text("utf-8")
        for found in SNIPPET.finditer(text):
            yield f"{page.name}:{text[: found.start()].count(chr(10)) + 2}", found[1]


@pytest.mark.parametrize(("place", "snippet"), list(snippets()))
def test_every_snippet_is_valid(tmp_path: Path, place: str, snippet: str) -> None:
    if snippet.startswith("provider:"):  # the settings of mm
        (tmp_path / "agent.yaml").write_text(snippet, "utf-8")
        load_mm({}, {}, tmp_path / "agent.yaml")
        return
    text = f"agents:\n{snippet}" if snippet.lstrip().startswith("- ") else snippet
    loaded = load(text, tmp_path, ENVIRONMENT)
    assert loaded.problems == (), place
    told = [warning.message for warning in loaded.warnings]
    assert [message for message in told if not re.search("is not found|does not exist", message)] == [], place


def commands(whole: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in whole._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, command in action.choices.items():
                yield f"{name}{word}", command
                yield from commands(command, f"{name}{word} ")


@pytest.mark.parametrize(("name", "command"), list(commands(parser())))
def test_the_page_names_every_command_and_option(name: str, command: argparse.ArgumentParser) -> None:
    page = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    assert re.search(rf"\b{name}\b", page), name
    for action in command._actions:
        for option in action.option_strings:
            assert f"`{option}" in page or option in ("-h", "--help"), f"{name} {option}"


def test_help_says_something_of_everything() -> None:
    for name, command in commands(parser()):
        for action in command._actions:
            assert action.help or isinstance(action, argparse._SubParsersAction), f"{name} {action.dest}"
        assert command.description, name
        assert max(map(len, (command.epilog or "").splitlines()), default=0) <= 90, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, place in LINK.findall(page.read_text("utf-8")):
        there = page.parent / target if target else page
        assert there.exists(), target
        if place:
            headings = re.findall(r"^#+ (.*)$", there.read_text("utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", one).strip().lower().replace(" ", "-") for one in headings}
            assert place[1:] in anchors, f"{target}{place}"
