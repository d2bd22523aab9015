"""One agent's connection: the handshake, its sessions, and who gets what they tell."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from minime_agent.acp.wire import handshake, services, sessions, tools, updates
from minime_agent.acp.wire.base import Empty
from minime_agent.acp.wire.client_side import ClientHandlers, RemoteAgent
from minime_agent.acp.wire.connection import OnJunk, Trace, report_junk
from minime_agent.acp.wire.errors import METHOD_NOT_FOUND, RequestError
from minime_agent.acp.wire.lines import ByteReader
from minime_agent.acp.wire.sender import ByteWriter
from sidekicks.acp.asking import Ask, Asking, decline
from sidekicks.acp.calls import Calls
from sidekicks.acp.capabilities import client_capabilities, usable_servers
from sidekicks.acp.errors import AgentFailureError, AgentRefusedError
from sidekicks.acp.files import read_text, write_text
from sidekicks.acp.login import Logins, logins_of
from sidekicks.acp.session import AgentSession, SessionListener, ShownInCall
from sidekicks.acp.stored import stored_session
from sidekicks.acp.terminals import Terminals
from sidekicks.acp.translate import permission, shown_terminals
from sidekicks.models import StoredSession

log = logging.getLogger(__name__)

_EARLY = 1_000
"""Updates that are kept for sessions whose making was not answered yet."""
CLOSING_SECONDS = 1.0
"""How long an agent may take to close its sessions before its connection ends."""
MAX_STORED = 1_000
"""Sessions of one page of an agent's list that are kept."""


def _unheard(text: str) -> None:
    log.info("%s", text)


class AgentClient(ClientHandlers):
    """The client of one running agent. Calls raise `AgentFailureError` with a sentence."""

    def __init__(
        self,
        reader: ByteReader,
        writer: ByteWriter,
        *,
        on_junk: OnJunk = report_junk,
        trace: Trace | None = None,
        mask: Callable[[str], str] = str,
        hide: Callable[[str], str] = str,
        terminals: Terminals | None = None,
        on_login: Callable[[str], None] = _unheard,
        on_note: Callable[[str], None] = _unheard,
        ask: Ask = decline,
    ) -> None:
        """`mask` hides secrets in what is told of errors, `hide` those of the agent's own in what is kept.

        `terminals` are those that the agent may have.

        `on_login` is told why a login is needed, or "" that none is; `on_note` what is worth a line in the
        log; `ask` puts a question to the user that belongs to no session.
        """
        self._terminals = terminals
        self._agent = RemoteAgent(reader, writer, on_junk=on_junk, trace=trace)
        self._calls = Calls(on_login, mask)
        self._asking = Asking(on_note)
        self._ask = ask
        self.hide = hide
        self._sessions: dict[str, AgentSession] = {}
        self._early: list[updates.SessionNotification] = []
        self._opening = 0
        self.capabilities = handshake.AgentCapabilities()
        self.info: handshake.Implementation | None = None

    # -- the connection --------------------------------------------------------------------------

    async def handshake(self, version: str) -> None:
        """Begins to read and agrees on the protocol; `version` is this program's.

        Raises:
            AgentFailureError: the agent speaks another version of the protocol, or none.
        """
        self._agent.start(self)
        request = handshake.InitializeRequest(
            protocol_version=handshake.PROTOCOL_VERSION,
            client_capabilities=client_capabilities(terminal=self._terminals is not None),
            client_info=handshake.Implementation(name="sidekicks", title="Sidekicks", version=version),
        )
        answer = await self._calls(self._agent.initialize(request))
        if answer.protocol_version != handshake.PROTOCOL_VERSION:
            raise AgentRefusedError(
                f"it speaks version {answer.protocol_version} of the Agent Client Protocol,"
                f" Sidekicks speaks version {handshake.PROTOCOL_VERSION}"
            )
        self.capabilities = answer.agent_capabilities
        self.info = answer.agent_info
        can_log_out = self.capabilities.auth.logout is not None
        self._calls.logins = logins_of(answer.auth_methods, logout=can_log_out)

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

    # -- logging in ------------------------------------------------------------------------------

    @property
    def logins(self) -> Logins:
        """The ways to log in."""
        return self._calls.logins

    async def log_in(self, method_id: str) -> None:
        """Logs in by a way that needs no terminal: as long as it takes, withdrawn when it is cancelled.

        Raises:
            AgentFailureError: there is no such way, or it failed.
        """
        method = self.logins.method(method_id, terminal=False)
        await self._calls(self._agent.authenticate(method.id), needs_login=True)

    async def log_out(self) -> None:
        """Makes the agent forget who is logged in.

        Raises:
            AgentFailureError: it can't.
        """
        if not self.logins.logout:
            raise AgentRefusedError("it can't log out by itself")
        await self._calls(self._agent.logout())

    # -- sessions --------------------------------------------------------------------------------

    @property
    def can_take_up(self) -> bool:
        """Whether the agent can go on with a session of a former run."""
        return self.can_replay or self.capabilities.session_capabilities.resume is not None

    @property
    def can_replay(self) -> bool:
        """Whether the agent tells the past of a session when it takes it up."""
        return self.capabilities.load_session

    async def new_session(
        self, cwd: str, mcp_servers: Sequence[dict[str, object]], listener: SessionListener
    ) -> AgentSession:
        """Makes a session that works in the folder `cwd`; `mcp_servers` are as `session/new` takes them."""
        request = sessions.NewSessionRequest(
            cwd=cwd, mcp_servers=usable_servers(mcp_servers, self.capabilities)
        )
        self._opening += 1
        try:
            answer = await self._calls(self._agent.new_session(request), needs_login=True)
            session = self._add(answer.session_id, cwd, listener)
            session.opened(answer)
            self._tell_early(session)
        finally:
            self._opening -= 1
            if not self._opening:
                self._early.clear()
        return session

    async def take_up(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[dict[str, object]],
        listener: SessionListener,
        *,
        replay: bool = False,
    ) -> AgentSession:
        """Goes on with a session of a former run.

        It is resumed if the agent can, else loaded: then the agent tells its past, as it does first of all
        when a `replay` is wanted and it can.

        Raises:
            AgentFailureError: the agent can't.
        """
        servers = usable_servers(mcp_servers, self.capabilities)
        can_resume = self.capabilities.session_capabilities.resume is not None
        session = self._add(session_id, cwd, listener, replaying=True)
        try:
            if can_resume and not (replay and self.can_replay):
                resume = sessions.ResumeSessionRequest(session_id=session_id, cwd=cwd, mcp_servers=servers)
                state = await self._calls(self._agent.resume_session(resume), needs_login=True)
            else:
                load = sessions.LoadSessionRequest(session_id=session_id, cwd=cwd, mcp_servers=servers)
                state = await self._calls(self._agent.load_session(load), needs_login=True)
                await session.past_told()
        except BaseException:
            self.forget(session)
            raise
        session.opened(state)
        return session

    async def stored_sessions(self, cwd: str, cursor: str) -> tuple[tuple[StoredSession, ...], str]:
        """A page of the sessions that the agent keeps, of those in the folder `cwd` if it is not empty.

        And the cursor of the next page, empty after the last.

        Raises:
            AgentFailureError: the agent can't tell.
        """
        if self.capabilities.session_capabilities.list is None:
            raise AgentRefusedError("it can't list the sessions that it keeps")
        request = sessions.ListSessionsRequest(cwd=cwd or None, cursor=cursor or None)
        page = await self._calls(self._agent.list_sessions(request))
        return tuple(map(stored_session, page.sessions[:MAX_STORED])), page.next_cursor or ""

    async def delete_session(self, session_id: str) -> None:
        """Makes the agent delete a session that it keeps, if it can."""
        if self.capabilities.session_capabilities.delete is not None and not self.closed:
            await self._quickly("delete", self._agent.delete_session(session_id))

    async def leave(self, session: AgentSession) -> None:
        """The session is over; the agent, if it wants to know, may keep it for later."""
        self.forget(session)
        if self._can_close:
            await self._quickly("close", self._agent.close_session(session.id))

    async def leave_all(self) -> None:
        """All sessions are over: for before the agent is stopped."""
        if self._can_close:
            await self._quickly("close", *map(self._agent.close_session, tuple(self._sessions)))

    @property
    def _can_close(self) -> bool:
        return self.capabilities.session_capabilities.close is not None and not self.closed

    async def _quickly(self, what: str, *calls: Coroutine[Any, Any, None]) -> None:
        """What is good to have done, and none the worse for an agent that does not, or not in time."""
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                results = await asyncio.gather(*map(self._calls, calls), return_exceptions=True)
        except TimeoutError:
            log.info("the agent did not %s its sessions in time", what)
            return
        for result in results:
            if isinstance(result, AgentFailureError):
                log.info("the agent did not %s a session: %s", what, result)
            elif isinstance(result, BaseException):
                raise result

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
            self._agent,
            session_id,
            cwd,
            listener,
            calls=self._calls,
            takes=self.capabilities.prompt_capabilities,
            replaying=replaying,
        )
        self._sessions[session_id] = session
        return session

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

    async def create_elicitation(
        self, request: services.CreateElicitationRequest
    ) -> services.CreateElicitationResponse:
        """Asks whoever listens to the session; what belongs to none is asked for the agent itself."""
        session = self._sessions.get(request.session_id or "")
        ask = self._ask if session is None else session.listener.elicited
        return await self._asking.ask(request, ask)

    async def complete_elicitation(self, notification: services.CompleteElicitationNotification) -> None:
        """What a link asked for is done."""
        self._asking.complete(notification.elicitation_id)

    async def auth_status_update(self, notification: handshake.AuthStatus) -> None:
        """Somebody logged in or out, here or elsewhere."""
        if notification.state == "unauthenticated":
            self._calls.login_needed()
        elif notification.state in ("authenticated", "not_required"):
            self._calls.logged_in()

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
