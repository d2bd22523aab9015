"""What starts an agent."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sidekicks.config.bundled import resolve_command
from sidekicks.models import AgentDefinition


def program(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_mm_is_the_one_that_came_with_this_program(tmp_path: Path) -> None:
    program(tmp_path, "mm")
    definition = AgentDefinition(
        name="x", title="", command="mm", args=("--acp",), env={"PATH": str(tmp_path)}
    )
    assert resolve_command(definition) == [sys.executable, "-P", "-m", "minime_agent", "--acp"]


def test_another_mm_is_started_by_its_path(tmp_path: Path) -> None:
    path = program(tmp_path, "mm")
    assert resolve_command(AgentDefinition(name="x", title="", command=str(path))) == [str(path)]


def test_a_packaged_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert resolve_command(AgentDefinition(name="mm", title="", command="mm")) == [sys.executable, "mm"]


@pytest.mark.skipif(sys.platform == "win32", reason="programs there end in .exe")
def test_a_command_is_looked_up_on_the_agents_path(tmp_path: Path) -> None:
    path = program(tmp_path, "some-agent")
    there = AgentDefinition(
        name="x", title="", command="some-agent", args=("a",), env={"PATH": str(tmp_path)}
    )
    assert resolve_command(there) == [str(path), "a"]
    assert resolve_command(AgentDefinition(name="x", title="", command="some-agent")) is None
