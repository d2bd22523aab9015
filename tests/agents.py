"""Definitions of scripted agents, and a service that is not patient with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from sidekicks.agents.process import Patience
from sidekicks.models import AgentDefinition

SCRIPT = Path(__file__).parent / "scripted_agent.py"
QUICK = Patience(end_of_input=0.3, descendants=0.2, signal=0.3, last_words=0.1)


def scripted(name: str, *options: str, **fields: Any) -> AgentDefinition:
    """A scripted agent with options of `tests.scripted_agent`."""
    return AgentDefinition(
        **{
            "name": name,
            "title": name.title(),
            "command": sys.executable,
            "args": (str(SCRIPT), *options),
            **fields,
        }
    )


def command_of(definition: AgentDefinition) -> list[str] | None:
    """What starts it: the command as it stands, unless it is called `missing`."""
    return None if definition.command == "missing" else [definition.command, *definition.args]
