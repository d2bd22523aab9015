"""What `@` and `/` offer while one writes: pure, from the text before the cursor."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sidekicks.models import AgentStatus, Command
from sidekicks.ui.composer.files import FileNames, mention

_MENTION = re.compile(r"(?:^|(?<=[\s(\[{,;:!?]))@(?:\"([^\"\n]*)|([^\s\"@]*))$")
MOST_FILES = 30
"""Files that are offered at once."""
_COMMAND = re.compile(r"^(?:\s*@[A-Za-z0-9_-]+)*\s*/([A-Za-z0-9_:./-]*)$")


@dataclass(frozen=True)
class Query:
    """What is being completed: `typed` after the `@` or `/`, which stands at `start` in the text."""

    kind: Literal["mention", "command"]
    typed: str
    start: int


@dataclass(frozen=True)
class Offer:
    """One completion: `text` replaces what was typed, the rest explains it; `agent` is who is named."""

    text: str
    title: str
    description: str = ""
    agent: AgentStatus | None = None


@dataclass(frozen=True)
class Candidates:
    """Who and what can be named here; `files` are those of the folder, once they are known.

    `direct` conversations take no mentions of agents. `commands` are by agent, members only; with one member
    its commands need no name before them.
    """

    agents: Sequence[AgentStatus] = ()
    commands: Mapping[str, Sequence[Command]] | None = None
    direct: bool = False
    files: FileNames | None = None


def query(before_cursor: str) -> Query | None:
    """What the text before the cursor asks to complete, if anything."""
    if match := _COMMAND.match(before_cursor):
        return Query("command", match[1], match.start(1) - 1)
    if match := _MENTION.search(before_cursor):
        return Query("mention", match[1] if match[1] is not None else match[2], match.start())
    return None


def offers(asked: Query, candidates: Candidates) -> list[Offer]:
    """The completions, those that begin with what was typed before those that only contain it.

    A name that is typed out needs none, so that Enter after it sends.
    """
    if asked.kind == "mention":
        found = [] if candidates.direct else _mentions(candidates.agents)
    else:
        found = _commands(candidates.commands or {})
    typed = asked.typed.casefold()
    files = _files(candidates.files, asked.typed) if asked.kind == "mention" else []
    if any(offer.text[1:].strip('"').casefold() == typed for offer in (*found, *files)):
        return []
    hits = [offer for offer in found if typed in f"{offer.text} {offer.title}".casefold()]
    return [*sorted(hits, key=lambda offer: not offer.text[1:].casefold().startswith(typed)), *files]


def _files(names: FileNames | None, typed: str) -> list[Offer]:
    paths = names.matching(typed, MOST_FILES) if names is not None else []
    return [Offer(mention(path), path.rstrip("/").rpartition("/")[0]) for path in paths]


def _mentions(agents: Sequence[AgentStatus]) -> list[Offer]:
    return [Offer(f"@{agent.name}", agent.title, agent.description, agent) for agent in agents]


def _commands(commands: Mapping[str, Sequence[Command]]) -> list[Offer]:
    several = len(commands) > 1
    return [
        Offer(
            f"/{agent}:{command.name}" if several else f"/{command.name}",
            command.hint,
            command.description,
        )
        for agent, announced in commands.items()
        for command in announced
    ]
