"""Getting to know an agent: it is started, asked what it can do, and stopped; no model hears of it."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec

from sidekicks.acp.asking import decline
from sidekicks.acp.changes import Change, CommandsReplaced, PermissionAsked
from sidekicks.acp.client import AgentClient
from sidekicks.acp.elicitation import Form, FormAnswer
from sidekicks.acp.errors import AgentFailureError
from sidekicks.agents.service import AgentService
from sidekicks.config.bundled import resolve_command
from sidekicks.models import AgentDefinition, Command, LoginMethod, Model

PROTOCOL_VERSION = 1
"""Agents that speak another one are refused when they start."""
COMMANDS_SECONDS = 2.0
"""How long commands are waited for; agents announce them after their session is open, if at all."""

TOLD_LINES = 10
"""Last lines of its stderr that go with a refusal."""


class Acquaintance(Model, frozen=True):
    """What is known of an agent. `protocol` is 0 when it was not started or did not answer.

    `problem` is why it can't be used as it is: one sentence, then the last lines of its stderr.
    """

    name: str
    title: str
    command: tuple[str, ...]
    protocol: int = 0
    program: str = ""
    version: str = ""
    capabilities: tuple[str, ...] = ()
    logins: tuple[LoginMethod, ...] = ()
    commands: tuple[Command, ...] = ()
    problem: str = ""


def plain(definition: AgentDefinition) -> Acquaintance:
    """What is known of an agent that is not started."""
    command = resolve_command(definition)
    missing = f"the program {definition.command} was not found"
    return Acquaintance(
        name=definition.name,
        title=definition.title,
        command=tuple(command or (definition.command, *definition.args)),
        problem="" if command else missing,
    )


async def meet(agents: AgentService, definition: AgentDefinition) -> Acquaintance:
    """Starts an agent, asks what it is and can do, opens a session for its commands, and stops it."""
    known = plain(definition)
    try:
        async with agents.use(definition.name) as client:
            known = _described(known, client)
            try:
                commands = await _commands(client, definition.cwd)
            except AgentFailureError as error:
                said = agents.logs(definition.name)[-TOLD_LINES:]
                return msgspec.structs.replace(known, problem="\n".join([str(error), *said]))
            return msgspec.structs.replace(known, commands=commands)
    except AgentFailureError as error:
        return msgspec.structs.replace(known, problem=str(error))
    finally:
        await agents.stop(definition.name)


def _described(known: Acquaintance, client: AgentClient) -> Acquaintance:
    info = client.info
    return msgspec.structs.replace(
        known,
        protocol=PROTOCOL_VERSION,
        program=(info.title or info.name) if info else "",
        version=info.version if info else "",
        capabilities=tuple(_capabilities(client)),
        logins=client.logins.shown(),
    )


def _capabilities(client: AgentClient) -> list[str]:
    """What the agent can do beyond what every agent can, in words."""
    can = client.capabilities
    sessions = can.session_capabilities
    words = {
        "images": can.prompt_capabilities.image,
        "audio": can.prompt_capabilities.audio,
        "embedded files": can.prompt_capabilities.embedded_context,
        "load sessions": can.load_session,
        "resume sessions": sessions.resume is not None,
        "list sessions": sessions.list is not None,
        "delete sessions": sessions.delete is not None,
        "close sessions": sessions.close is not None,
        "MCP over HTTP": can.mcp_capabilities.http,
        "MCP over SSE": can.mcp_capabilities.sse,
        "log out": client.logins.logout,
    }
    return [word for word, is_so in words.items() if is_so]


async def _commands(client: AgentClient, cwd: str) -> tuple[Command, ...]:
    """The commands that the agent announces for a session; none when it does not soon.

    The session has no MCP servers, and is in an empty folder when the agent has none of its own.
    """
    listener = _CommandsListener()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
        folder = cwd if cwd and Path(cwd).is_dir() else empty  # noqa: ASYNC240 (a stat)
        session = await client.new_session(folder, (), listener)
        with suppress(TimeoutError):
            async with asyncio.timeout(COMMANDS_SECONDS):
                await listener.announced.wait()
        await client.leave(session)
    return listener.commands


class _CommandsListener:
    """Hears of commands, and declines whatever is asked: nobody was told that anything would be."""

    def __init__(self) -> None:
        self.commands: tuple[Command, ...] = ()
        self.announced = asyncio.Event()

    def changed(self, change: Change) -> None:
        if isinstance(change, CommandsReplaced):
            self.commands = change.commands
            self.announced.set()

    def replayed(self, change: Change) -> None:
        del change

    async def asked(self, question: PermissionAsked) -> str | None:
        del question
        return None

    async def elicited(self, form: Form) -> FormAnswer:
        return await decline(form)
