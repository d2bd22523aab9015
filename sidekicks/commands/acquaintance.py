"""Getting to know an agent: it is started, asked what it can do, and stopped; no model hears of it."""

from __future__ import annotations

import asyncio
import tempfile

from minime_agent.acp.wire.handshake import PROTOCOL_VERSION
from sidekicks.acp.changes import Change, CommandsReplaced, PermissionAsked
from sidekicks.acp.client import AgentClient
from sidekicks.acp.errors import AgentFailureError
from sidekicks.agents.service import AgentService
from sidekicks.models import AgentDefinition, Command, LoginMethod, Model

COMMANDS_SECONDS = 2.0
"""How long commands are waited for; agents announce them after their session is open, if at all."""


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
