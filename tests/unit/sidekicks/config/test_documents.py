"""What is written about the configuration file is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

from sidekicks.config.load import load
from sidekicks.config.locate import default_text
from sidekicks.config.schema import schema

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs/configuration.md").read_text("utf-8")


def test_the_page_is_what_the_schema_says() -> None:
    script = [sys.executable, str(ROOT / "packaging/configuration.py"), "--check"]
    ran = subprocess.run(script, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_key_has_its_place_on_the_page() -> None:
    definitions = schema()["$defs"]
    for key in (
        "theme",
        "limits.maxRunningAgents",
        *(f"agents[].{key}" for key in _keys(definitions, "agent")),
    ):
        assert f"### `{key}`" in PAGE
    for key in _keys(definitions, "mcpServer"):
        assert f"### `agents[].mcpServers[].{key}`" in PAGE


def test_the_examples_of_the_page_are_valid(tmp_path: Path) -> None:
    whole, *parts = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert load(whole, tmp_path, {}).problems == ()
    assert len(parts) > 20
    for part in parts:
        assert len(yaml.safe_load(part)) == 1


def test_the_default_file_with_its_comments_taken_away_is_valid_and_has_every_key(tmp_path: Path) -> None:
    text = re.sub(r"^  # (?=[ -])", "  ", default_text(), flags=re.MULTILINE)
    loaded = load(text, tmp_path, {"API_KEY": "x"})
    assert loaded.problems == ()
    assert loaded.config is not None
    assert [agent.name for agent in loaded.config.agents] == ["mm", "another"]
    for key in _keys(schema()["$defs"], "agent"):
        assert f"{key}:" in text


def _keys(definitions: object, name: str) -> list[str]:
    assert isinstance(definitions, dict)
    return list(definitions[name]["properties"])
