"""`sidekicks doctor`: looks at the machine and says what to do about what is missing."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from sidekicks.commands.checkup import machine, servers, setup
from sidekicks.commands.checkup.finding import Finding
from sidekicks.commands.configuration import configuration
from sidekicks.commands.output import put
from sidekicks.config.locate import VARIABLE, histories_folder
from sidekicks.history.open import data_path


def run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Prints the findings; 0 when none of them is a problem."""
    findings = asyncio.run(_findings(options, environment))
    if options.json:
        put(msgspec.json.encode(findings).decode())
    else:
        for finding in findings:
            put(_text(finding))
        put(_sum(findings))
    return 1 if any(finding.level == "problem" for finding in findings) else 0


async def _findings(options: argparse.Namespace, environment: Mapping[str, str]) -> list[Finding]:
    found = configuration(options.config, environment)
    by_default = not options.config and not environment.get(VARIABLE)
    folder = histories_folder(options.data_dir, environment)
    definitions = found.loaded.config.agents if found.loaded.config is not None else ()
    seen = machine.display(environment)
    history, agents, node, models = await asyncio.gather(
        setup.history(data_path(found.path, folder)),
        setup.agents(definitions) if found.loaded.config is not None else _nothing(),
        setup.node(definitions),
        servers.models(),
    )
    return [
        machine.python(),
        machine.qt(),
        seen,
        *machine.libraries(is_wanted=seen.level == "ok"),
        machine.disk(folder),
        *setup.configuration(found, by_default=by_default),
        history,
        *agents,
        *node,
        *models,
    ]


async def _nothing() -> list[Finding]:
    return []


def _text(finding: Finding) -> str:
    line = f"{finding.level:<9}{finding.topic:<15} {finding.message}"
    return f"{line}\n{'':<25}-> {finding.advice}" if finding.advice else line


def _sum(findings: Sequence[Finding]) -> str:
    counts = [sum(finding.level == level for finding in findings) for level in ("problem", "warning")]
    if not any(counts):
        return "Nothing is missing."
    words = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in zip(counts, ("problem", "warning"), strict=True)
        if count
    ]
    return ", ".join(words) + "."
