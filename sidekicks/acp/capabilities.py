"""What this client offers to every agent, and which of its MCP servers an agent can use."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import msgspec

from minime_agent.acp.wire import handshake, sessions
from minime_agent.acp.wire.base import Empty

log = logging.getLogger(__name__)


def client_capabilities(*, terminal: bool) -> handshake.ClientCapabilities:
    """What is offered to every agent."""
    return handshake.ClientCapabilities(
        fs=handshake.FileSystemCapabilities(read_text_file=True, write_text_file=True),
        terminal=terminal,
        session=handshake.ClientSessionCapabilities(
            compaction=Empty(),
            config_options=handshake.ConfigOptionsCapabilities(boolean=Empty()),
            notices=Empty(),
        ),
        auth=handshake.ClientAuthCapabilities(terminal=True),
        elicitation=handshake.ElicitationCapabilities(form=Empty(), url=Empty()),
        plan=Empty(),
        meta={"terminal_output": True, "terminal-auth": True},
    )


def usable_servers(
    servers: Sequence[dict[str, object]], agent: handshake.AgentCapabilities
) -> tuple[sessions.McpServer, ...]:
    """Those that the agent can use: it has to say so for anything but a program."""
    usable = {"stdio": True, "http": agent.mcp_capabilities.http, "sse": agent.mcp_capabilities.sse}
    known = msgspec.convert(list(servers), tuple[sessions.McpServer, ...])
    for server in known:
        if not usable.get(server.type):
            log.warning("the agent can't use the MCP server %s (%s)", server.name, server.type)
    return tuple(server for server in known if usable.get(server.type))
