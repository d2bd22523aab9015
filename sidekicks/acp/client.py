"""One agent's connection: the handshake, its sessions, and who gets what they tell."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import msgspec

from minime_agent.acp.wire import services, sessions, tools, updates
from minime_agent.acp.wire.base import Empty
from minime_agent.acp.wire.client_side import ClientHandlers, RemoteAgent
from minime_agent.acp.wire.connection import OnJunk, Trace, report_junk
from minime_agent.acp.wire.errors import METHOD_NOT_FOUND, RequestError
from minime_agent.acp.wire.handshake import (
    PROTOCOL_VERSION,
    AgentCapabilities,
    AuthMethod,
    ClientCapabilities,
    ClientSessionCapabilities,
    FileSystemCapabilities,
    Implementation,
    InitializeRequest,
)
from minime_agent.acp.wire.lines import ByteReader
from minime_agent.acp.wire.sender import ByteWriter
from sidekicks.acp.errors import AgentRefusedError
from sidekicks.acp.files import read_text, write_text
from sidekicks.acp.session import AgentSession, SessionListener, ShownInCall, ask
from sidekicks.acp.terminals import Terminals
from sidekicks.acp.translate import permission, shown_terminals

log = logging.getLogger(__name__)

_EARLY = 1_000
"""Updates that are kept for sessions whose making was not answered yet."""


class AgentClient(ClientHandlers):
    """The client of one running agent. Calls raise `AgentFailureError` with a sentence."""

    def __init__(
        self,
        reader: ByteReader,
        writer: ByteWriter,
        *,
        on_junk: OnJunk = report_junk,
        trace: Trace | None = None,
        terminals: Terminals | None = None,
    ) -> None:
        self._terminals = terminals
        self._agent = RemoteAgent(reader, writer, on_junk=on_junk, trace=trace)
        self._sessions: dict[str, AgentSession] = {}
        self._early: list[updates.SessionNotification] = []
        self._opening = 0
        self.capabilities = AgentCapabilities()
        self.auth_methods: tuple[AuthMethod, ...] = ()

    # -- the connection --------------------------------------------------------------------------

    async def handshake(self, version: str) -> None:
        """Begins to read and agrees on the protocol; `version` is this program's.

        Raises:
            AgentFailureError: the agent speaks another version of the protocol, or none.
        """
        self._agent.start(self)
        request = InitializeRequest(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(
                fs=FileSystemCapabilities(read_text_file=True, write_text_file=True),
                session=ClientSessionCapabilities(notices=Empty()),
                terminal=self._terminals is not None,
                meta={"terminal_output": True},
            ),
            client_info=Implementation(name="sidekicks", title="Sidekicks", version=version),
        )
        answer = await ask(self._agent.initialize(request))
        if answer.protocol_version != PROTOCOL_VERSION:
            raise AgentRefusedError(
                f"it speaks version {answer.protocol_version} of the Agent Client Protocol,"
                f" Sidekicks speaks version {PROTOCOL_VERSION}"
            )
        self.capabilities = answer.agent_capabilities
        self.auth_methods = answer.auth_methods

    @property
    def closed(self) -> bool:
        """Whether the connection has ended."""
        return self._agent.connection.closed

    async def wait_closed(self) -> None:
        """Waits until the agent has closed the connection, or it broke."""
        await self._agent.connection.wait_closed()

    async def close(self) -> None:
        """Ends the connection and the agent's terminals; waiting calls raise `AgentGoneError`."""
        await self._agent.close()
        if self._terminals is not None:
            await self._terminals.close()

    # -- sessions --------------------------------------------------------------------------------

    @property
    def can_take_up(self) -> bool:
        """Whether the agent can go on with a session of a former run."""
        return self.capabilities.load_session or self.capabilities.session_capabilities.resume is not None

    async def new_session(
        self, cwd: str, mcp_servers: Sequence[dict[str, object]], listener: SessionListener
    ) -> AgentSession:
        """Makes a session that works in the folder `cwd`; `mcp_servers` are as `session/new` takes them."""
        request = sessions.NewSessionRequest(cwd=cwd, mcp_servers=self._servers(mcp_servers))
        self._opening += 1
        try:
            answer = await ask(self._agent.new_session(request), self.auth_methods)
            session = self._add(answer.session_id, cwd, listener)
            self._tell_early(session)
        finally:
            self._opening -= 1
            if not self._opening:
                self._early.clear()
        return session

    async def take_up(
        self, session_id: str, cwd: str, mcp_servers: Sequence[dict[str, object]], listener: SessionListener
    ) -> AgentSession:
        """Goes on with a session of a former run: resumed if the agent can, else loaded; nothing is replayed.

        Raises:
            AgentFailureError: the agent can't.
        """
        servers = self._servers(mcp_servers)
        session = self._add(session_id, cwd, listener, replaying=True)
        try:
            if self.capabilities.session_capabilities.resume is not None:
                resume = sessions.ResumeSessionRequest(session_id=session_id, cwd=cwd, mcp_servers=servers)
                await ask(self._agent.resume_session(resume), self.auth_methods)
            else:
                load = sessions.LoadSessionRequest(session_id=session_id, cwd=cwd, mcp_servers=servers)
                await ask(self._agent.load_session(load), self.auth_methods)
        except BaseException:
            self.forget(session)
            raise
        session.opened()
        return session

    def forget(self, session: AgentSession) -> None:
        """What it still tells is of no interest any more, and its terminals end."""
        if self._sessions.get(session.id) is session:
            del self._sessions[session.id]
            if self._terminals is not None:
                self._terminals.forget(session.id)

    def _add(
        self, session_id: str, cwd: str, listener: SessionListener, *, replaying: bool = False
    ) -> AgentSession:
        session = AgentSession(
            self._agent, session_id, cwd, listener, methods=self.auth_methods, replaying=replaying
        )
        self._sessions[session_id] = session
        return session

    def _servers(self, servers: Sequence[dict[str, object]]) -> tuple[sessions.McpServer, ...]:
        """Those that the agent can use: it has to say so for anything but a program."""
        usable = {
            "stdio": True,
            "http": self.capabilities.mcp_capabilities.http,
            "sse": self.capabilities.mcp_capabilities.sse,
        }
        known = msgspec.convert(list(servers), tuple[sessions.McpServer, ...])
        for server in known:
            if not usable.get(server.type):
                log.warning("the agent can't use the MCP server %s (%s)", server.name, server.type)
        return tuple(server for server in known if usable.get(server.type))

    def _tell_early(self, session: AgentSession) -> None:
        mine = [note for note in self._early if note.session_id == session.id]
        self._early = [note for note in self._early if note.session_id != session.id]
        for note in mine:
            session.updated(note.update)

    # -- what the agent tells and asks -----------------------------------------------------------

    async def session_update(self, notification: updates.SessionNotification) -> None:
        """Hands an update to its session, also after the end of a turn; early ones wait for their session."""
        session = self._sessions.get(notification.session_id)
        if session is not None:
            session.updated(notification.update)
            self._show_terminals(session, notification.update)
        elif self._opening and len(self._early) < _EARLY:
            self._early.append(notification)

    async def request_permission(
        self, request: tools.RequestPermissionRequest
    ) -> tools.RequestPermissionResponse:
        """Asks whoever listens to the session."""
        chosen = await self._session(request.session_id).listener.asked(permission(request))
        if chosen is None:
            return tools.RequestPermissionResponse.cancelled()
        return tools.RequestPermissionResponse.selected(chosen)

    async def read_text_file(self, request: services.ReadTextFileRequest) -> services.ReadTextFileResponse:
        """Reads a file of the session's folder."""
        folders = self._session(request.session_id).folders
        text = await asyncio.to_thread(read_text, folders, request.path, request.line, request.limit)
        return services.ReadTextFileResponse(content=text)

    async def write_text_file(self, request: services.WriteTextFileRequest) -> Empty:
        """Writes a file of the session's folder."""
        folders = self._session(request.session_id).folders
        await asyncio.to_thread(write_text, folders, request.path, request.content)
        return Empty()

    # -- terminals -------------------------------------------------------------------------------

    async def create_terminal(
        self, request: services.CreateTerminalRequest
    ) -> services.CreateTerminalResponse:
        """Runs a command in the session's folder."""
        folders = self._session(request.session_id).folders
        return services.CreateTerminalResponse(await self._with_terminals().create(request, folders))

    async def terminal_output(self, request: services.TerminalRequest) -> services.TerminalOutputResponse:
        """What a terminal has shown so far."""
        return self._with_terminals().output(request)

    async def wait_for_terminal_exit(self, request: services.TerminalRequest) -> services.TerminalExitStatus:
        """Waits until a terminal's command has ended."""
        return await self._with_terminals().wait(request)

    async def kill_terminal(self, request: services.TerminalRequest) -> Empty:
        """Ends a terminal's command; the output stays."""
        await self._with_terminals().kill(request)
        return Empty()

    async def release_terminal(self, request: services.TerminalRequest) -> Empty:
        """Ends a terminal's command and forgets the terminal."""
        await self._with_terminals().release(request)
        return Empty()

    def _with_terminals(self) -> Terminals:
        if self._terminals is None:
            raise RequestError(METHOD_NOT_FOUND, "this client has no terminals")
        return self._terminals

    def _show_terminals(self, session: AgentSession, fields: object) -> None:
        if self._terminals is not None and not session.replaying:
            for call, terminal in shown_terminals(fields):
                self._terminals.show(session.id, terminal, ShownInCall(session.listener, call))

    def _session(self, session_id: str) -> AgentSession:
        session = self._sessions.get(session_id)
        if session is None:
            raise RequestError.invalid_params(f"there is no session {session_id}")
        return session
