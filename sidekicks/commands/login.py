"""`sidekicks login`: logs in to an agent in one of the ways that it offers."""

from __future__ import annotations

import argparse
import asyncio
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from sidekicks.acp.errors import AgentFailureError
from sidekicks.acp.login import LoginCommand
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.commands.agents import open_agents
from sidekicks.commands.configuration import valid
from sidekicks.commands.forms import answer_to
from sidekicks.commands.output import CommandError, put, say
from sidekicks.commands.parser import did_you_mean
from sidekicks.commands.store import history_folder
from sidekicks.commands.terminal import NobodyError, Terminal
from sidekicks.config.locate import protocol_folder
from sidekicks.config.schema import Config
from sidekicks.events import ElicitationRequested, ElicitationResolved
from sidekicks.models import LoginMethod
from sidekicks.tasks import Tasks


def run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Logs in; which way is asked when there are several and none was named."""
    config = valid(options.config, environment)
    if config.agent(options.agent) is None:
        guess = did_you_mean(options.agent, [agent.name for agent in config.agents])
        raise CommandError(f"the configuration has no agent named {options.agent}{guess}")
    protocols = protocol_folder(history_folder(options, environment))
    try:
        command = asyncio.run(_login(config, options, protocols))
    except AgentFailureError as error:
        raise CommandError(f"{options.agent}: {error}") from error
    if command is not None:
        _run_here(options.agent, command)
    put(f"Logged in to {options.agent}.")
    return 0


async def _login(config: Config, options: argparse.Namespace, protocols: Path) -> LoginCommand | None:
    """Lets the agent log in by itself, or answers with what has to be run in the terminal for it."""
    bus, name = Bus(), options.agent
    async with open_agents(config, bus, protocols) as agents:
        async with agents.use(name) as client:
            methods = client.logins.shown()
        terminal = Terminal()
        method = await _chosen(name, methods, options.method, terminal)
        if method.terminal:
            return await agents.login_command(name, method.id)
        say(f"Logging in to {name}: {method.name}. Ctrl+C calls it off.")
        await _by_agent(agents, bus, name, method, terminal)
    return None


def _run_here(name: str, command: LoginCommand) -> None:
    """Runs the agent's own login on this terminal; the agent itself was stopped."""
    say(f"Logging in to {name} with: {shlex.join(command.argv)}")
    try:
        code = subprocess.call(command.argv, env=command.env, cwd=command.cwd)
    except OSError as error:
        raise CommandError(f"{command.argv[0]} can't be run: {error.strerror}") from error
    if code:
        raise CommandError(f"the login of {name} ended with exit code {code}")


async def _chosen(
    name: str, methods: Sequence[LoginMethod], method_id: str, terminal: Terminal
) -> LoginMethod:
    """The way that is meant, or the only one there is, or the one that is chosen at the terminal."""
    if not methods:
        raise CommandError(f"{name} offers no way to log in here: log in with its own program")
    if method_id:
        found = next((method for method in methods if method.id == method_id), None)
        if found is None:
            known = [method.id for method in methods]
            guess = did_you_mean(method_id, known) or f"; it has: {', '.join(known)}"
            raise CommandError(f"{name} has no way to log in named {method_id}{guess}")
        return found
    if len(methods) == 1:
        return methods[0]
    for number, method in enumerate(methods, start=1):
        about = f": {method.description}" if method.description else ""
        say(f"  {number}. {method.id} ({method.name}{about})")
    if not terminal.is_there:
        raise CommandError(f"name one of them: `sidekicks login {name} METHOD`")
    return await _typed(methods, terminal)


async def _typed(methods: Sequence[LoginMethod], terminal: Terminal) -> LoginMethod:
    while True:
        try:
            typed = await terminal.ask("Which one? ")
        except NobodyError:
            raise CommandError("none was chosen") from None
        for number, method in enumerate(methods, start=1):
            if typed in (str(number), method.id):
                return method


async def _by_agent(
    agents: AgentService, bus: Bus, name: str, method: LoginMethod, terminal: Terminal
) -> None:
    """Lets the agent log in by itself; what it asks meanwhile is asked here."""
    asking = Tasks()
    asked: dict[str, asyncio.Task[None]] = {}

    async def answer(request: ElicitationRequested) -> None:
        values = await answer_to(request, terminal)
        agents.elicitations.answer(request.id, "decline" if values is None else "accept", values or {})

    async def follow() -> None:
        async with bus.subscribe() as events:
            async for event in events:
                match event:
                    case ElicitationRequested():
                        asked[event.id] = asking.start(answer(event), "ask the user")
                    case ElicitationResolved() if event.id in asked:
                        asked[event.id].cancel()
                    case _:
                        pass

    asking.start(follow(), "questions of the agent")
    await asyncio.sleep(0)  # it listens before the agent is asked anything
    try:
        await agents.login(name, method.id)
    finally:
        await asking.close()
