"""Definitions of the agents of `scripted_sessions`, and what they were told."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from sidekicks.models import AgentDefinition

SCRIPT = Path(__file__).parent / "scripted_sessions.py"


def able(name: str, *options: str, **fields: Any) -> AgentDefinition:
    """An agent with options of `tests.scripted_sessions`."""
    return AgentDefinition(
        **{
            "name": name,
            "title": name.title(),
            "command": sys.executable,
            "args": (str(SCRIPT), *options),
            **fields,
        }
    )


def told(record: Path, method: str) -> list[dict[str, Any]]:
    """The params of each call of a method that an agent with `record=` was told."""
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    return [line["params"] for line in lines if line.get("method") == method]
