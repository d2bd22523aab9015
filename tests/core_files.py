"""Configuration files that name scripted agents, and how the core is with them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sidekicks.core import Core
from sidekicks.events import Event
from sidekicks.models import AgentStatus
from tests.core_parts import SCRIPTED, Events

E = TypeVar("E")


def entry(name: str, *options: str, **fields: Any) -> dict[str, Any]:
    """An agent of a configuration file, which runs the scripted program with these options."""
    return {"name": name, "command": sys.executable, "args": [str(SCRIPTED), *options], **fields}


def text(*entries: dict[str, Any], **fields: Any) -> str:
    """The text of a configuration file."""
    return json.dumps({**fields, "agents": entries}, indent=1)


def put(path: Path, *entries: dict[str, Any], **fields: Any) -> Path:
    """Writes a configuration file as other programs do, whole at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    new.write_text(text(*entries, **fields))
    new.replace(path)
    return path


def status(core: Core, name: str) -> AgentStatus:
    """How an agent is."""
    return next(status for status in core.agents.list() if status.name == name)


def names(core: Core) -> list[str]:
    """The agents, in their order."""
    return [status.name for status in core.agents.list()]


async def until(events: Events, kind: type[E], is_meant: Callable[[E], object], after: int = 0) -> E:
    """The first event of a kind that is meant, from the event number `after` on."""

    def is_it(event: Event) -> bool:
        return isinstance(event, kind) and bool(is_meant(event))

    found = await events.until(is_it, after)
    assert isinstance(found, kind)
    return found


def own_folders(home: Path) -> dict[str, str]:
    """The environment in which all folders of the user's are below `home`, which is made."""
    home.mkdir()
    return {
        **os.environ,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "APPDATA": str(home / ".config"),
        "XDG_CONFIG_HOME": str(home / ".config"),
    }
