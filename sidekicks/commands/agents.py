"""`sidekicks agents`: what the configured agents are and can do."""

from __future__ import annotations

import argparse
import asyncio
import shlex
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.commands.acquaintance import Acquaintance, meet, plain
from sidekicks.commands.configuration import valid
from sidekicks.commands.output import CommandError, put
from sidekicks.commands.parser import did_you_mean
from sidekicks.commands.store import history_folder
from sidekicks.config.bundled import resolve_command
from sidekicks.config.locate import protocol_folder
from sidekicks.config.schema import Config
from sidekicks.models import AgentDefinition
from sidekicks.tasks import to_the_end


def run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Prints what each agent is; 0 when all of them work."""
    config = valid(options.config, environment)
    wanted = _wanted(config, options.names)
    if options.no_start:
        met = [plain(definition) for definition in wanted]
        if not options.json:
            for one in met:
                put(_text(one))
    else:
        protocols = protocol_folder(history_folder(options, environment))
        met = asyncio.run(_meet_all(config, wanted, protocols, as_json=options.json))
    if options.json:
        put(msgspec.json.encode(met).decode())
    elif not met:
        put("The configuration has no agents.")
    return 1 if any(one.problem for one in met) else 0


def _wanted(config: Config, names: list[str]) -> list[AgentDefinition]:
    found: list[AgentDefinition] = []
    for name in names:
        definition = config.agent(name)
        if definition is None:
            known = did_you_mean(name, [agent.name for agent in config.agents])
            raise CommandError(f"the configuration has no agent named {name}{known}")
        found.append(definition)
    return found if names else list(config.agents)


@asynccontextmanager
async def open_agents(config: Config, bus: Bus, protocols: Path) -> AsyncGenerator[AgentService]:
    """The agents without channels or history, with their logs in `protocols`; all are stopped afterwards."""
    agents = AgentService(bus, resolve_command, protocol_folder=protocols)
    agents.apply(config.agents, config.limits)
    try:
        yield agents
    finally:
        await to_the_end(agents.close())


async def _meet_all(
    config: Config, wanted: list[AgentDefinition], protocols: Path, *, as_json: bool
) -> list[Acquaintance]:
    """Starts the agents, as many at once as the limits allow; each is printed in its turn."""
    places = asyncio.Semaphore(config.limits.max_running_agents)
    met: list[Acquaintance] = []
    async with open_agents(config, Bus(), protocols) as agents, asyncio.TaskGroup() as group:

        async def one(definition: AgentDefinition) -> Acquaintance:
            async with places:
                return await meet(agents, definition)

        for task in [group.create_task(one(definition)) for definition in wanted]:
            met.append(await task)
            if not as_json:
                put(_text(met[-1]))
    return met


def _text(met: Acquaintance) -> str:
    """An agent as a paragraph: its name, and below it what is known of it."""
    title = f" ({met.title})" if met.title != met.name else ""
    lines = [f"{met.name}{title}", _line("runs", shlex.join(met.command))]
    if met.protocol:
        program = " ".join(part for part in (met.program, met.version) if part) or "says no name"
        lines.append(_line("is", f"{program}, protocol version {met.protocol}"))
        lines.append(_line("can", ", ".join(met.capabilities) or "what every agent can"))
    lines.extend(_line("login", f"{login.id}: {login.name}") for login in met.logins)
    if met.commands:
        lines.append(_line("commands", " ".join(f"/{command.name}" for command in met.commands)))
    if met.problem:
        first, *tail = met.problem.splitlines()
        lines.append(_line("PROBLEM", first))
        lines.extend(_line("", line) for line in tail)
    return "\n".join(lines)


def _line(label: str, text: str) -> str:
    return f"  {label:<10}{text}".rstrip()
