"""For a client: what an agent may ask of it, and the agent as an object to talk to."""

from __future__ import annotations

from minime_agent.acp.wire import handshake, options, services, sessions, tools, updates
from minime_agent.acp.wire.base import Empty
from minime_agent.acp.wire.connection import Connection, OnJunk, Trace, report_junk
from minime_agent.acp.wire.errors import RequestError
from minime_agent.acp.wire.lines import ByteReader
from minime_agent.acp.wire.methods import CLIENT_METHODS, Dispatch, ExtensionHandlers
from minime_agent.acp.wire.sender import ByteWriter


class ClientHandlers(ExtensionHandlers):
    """Answers an agent. Override what the client can do; the rest is answered with method not found.

    Each method may raise RequestError to answer with an error. Requests run side by side and are cancelled
    when the agent withdraws them. Notifications come one at a time, in order, before the answer of the prompt
    that they belong to; their methods must not call the agent and wait.
    """

    async def session_update(self, notification: updates.SessionNotification) -> None:
        """Something happened in a session."""

    async def request_permission(
        self, request: tools.RequestPermissionRequest
    ) -> tools.RequestPermissionResponse:
        """May a tool call run?"""
        raise RequestError.method_not_found("session/request_permission")

    async def read_text_file(self, request: services.ReadTextFileRequest) -> services.ReadTextFileResponse:
        """A file's text."""
        raise RequestError.method_not_found("fs/read_text_file")

    async def write_text_file(self, request: services.WriteTextFileRequest) -> Empty:
        """Writes a file."""
        raise RequestError.method_not_found("fs/write_text_file")

    async def create_terminal(
        self, request: services.CreateTerminalRequest
    ) -> services.CreateTerminalResponse:
        """Runs a command in a terminal."""
        raise RequestError.method_not_found("terminal/create")

    async def terminal_output(self, request: services.TerminalRequest) -> services.TerminalOutputResponse:
        """What a terminal has shown so far."""
        raise RequestError.method_not_found("terminal/output")

    async def wait_for_terminal_exit(self, request: services.TerminalRequest) -> services.TerminalExitStatus:
        """Waits until a terminal's command has ended."""
        raise RequestError.method_not_found("terminal/wait_for_exit")

    async def kill_terminal(self, request: services.TerminalRequest) -> Empty:
        """Ends a terminal's command; the output stays."""
        raise RequestError.method_not_found("terminal/kill")

    async def release_terminal(self, request: services.TerminalRequest) -> Empty:
        """Ends a terminal's command and forgets the terminal."""
        raise RequestError.method_not_found("terminal/release")

    async def create_elicitation(
        self, request: services.CreateElicitationRequest
    ) -> services.CreateElicitationResponse:
        """A question to the person."""
        raise RequestError.method_not_found("elicitation/create")

    async def complete_elicitation(self, notification: services.CompleteElicitationNotification) -> None:
        """What a link asked for is done."""

    async def auth_status_update(self, notification: handshake.AuthStatus) -> None:
        """Someone logged in or out (unstable)."""


class RemoteAgent:
    """The agent at the other end of a client's connection. Errors are those of `Connection.request`."""

    def __init__(
        self,
        reader: ByteReader,
        writer: ByteWriter,
        *,
        on_junk: OnJunk = report_junk,
        trace: Trace | None = None,
    ) -> None:
        self.connection = Connection(reader, writer, peer="the agent", on_junk=on_junk, trace=trace)

    def start(self, handlers: ClientHandlers) -> None:
        """Begins to read."""
        self.connection.start(Dispatch(handlers, CLIENT_METHODS))

    async def initialize(self, request: handshake.InitializeRequest) -> handshake.InitializeResponse:
        """The handshake."""
        return await self.connection.request("initialize", request, handshake.InitializeResponse)

    async def authenticate(self, method_id: str) -> None:
        """Logs in with one of the methods that the handshake named."""
        request = handshake.AuthenticateRequest(method_id)
        await self.connection.request("authenticate", request, Empty)

    async def logout(self) -> None:
        """Logs out."""
        await self.connection.request("logout", handshake.LogoutRequest(), Empty)

    async def auth_status(self) -> handshake.AuthStatus:
        """Whether someone is logged in (unstable)."""
        request = handshake.AuthStatusRequest()
        return await self.connection.request("auth/status", request, handshake.AuthStatus)

    async def new_session(self, request: sessions.NewSessionRequest) -> sessions.NewSessionResponse:
        """Makes a session. Updates of it may come before the answer."""
        return await self.connection.request("session/new", request, sessions.NewSessionResponse)

    async def load_session(self, request: sessions.LoadSessionRequest) -> sessions.SessionState:
        """Takes a session up again; its past comes as updates before the answer."""
        return await self.connection.request("session/load", request, sessions.SessionState)

    async def resume_session(self, request: sessions.ResumeSessionRequest) -> sessions.SessionState:
        """Takes a session up again without its past."""
        return await self.connection.request("session/resume", request, sessions.SessionState)

    async def fork_session(self, request: sessions.ForkSessionRequest) -> sessions.NewSessionResponse:
        """Makes a session that begins as another one is (unstable)."""
        return await self.connection.request("session/fork", request, sessions.NewSessionResponse)

    async def list_sessions(self, request: sessions.ListSessionsRequest) -> sessions.ListSessionsResponse:
        """One page of the stored sessions."""
        return await self.connection.request("session/list", request, sessions.ListSessionsResponse)

    async def close_session(self, session_id: str) -> None:
        """Ends a session; it stays stored."""
        request = sessions.SessionRequest(session_id)
        await self.connection.request("session/close", request, Empty)

    async def delete_session(self, session_id: str) -> None:
        """Makes the agent forget a session."""
        request = sessions.SessionRequest(session_id)
        await self.connection.request("session/delete", request, Empty)

    async def session_status(self, session_id: str) -> str:
        """`open`, `saved`, or another word (unstable)."""
        request = sessions.SessionRequest(session_id)
        answer = await self.connection.request("session/status", request, sessions.SessionStatus)
        return answer.status

    async def set_title(self, session_id: str, title: str) -> str:
        """Names a session; the name as the agent stored it (unstable)."""
        request = sessions.SetSessionTitleRequest(session_id, title)
        answer = await self.connection.request("session/set_title", request, sessions.SetSessionTitleResponse)
        return answer.title or title

    async def prompt(self, request: sessions.PromptRequest) -> sessions.PromptResponse:
        """Runs one turn; every update that came before its end was handled when this returns."""
        return await self.connection.request("session/prompt", request, sessions.PromptResponse)

    async def cancel(self, session_id: str) -> None:
        """Asks for the end of a turn; `prompt` then answers `cancelled`."""
        await self.connection.notify("session/cancel", sessions.SessionRequest(session_id))

    async def set_mode(self, session_id: str, mode_id: str) -> None:
        """Chooses a mode."""
        request = options.SetSessionModeRequest(session_id, mode_id)
        await self.connection.request("session/set_mode", request, Empty)

    async def set_model(self, session_id: str, model_id: str) -> None:
        """Chooses a model of an agent that answered with the former `models`."""
        request = options.SetSessionModelRequest(session_id, model_id)
        await self.connection.request("session/set_model", request, Empty)

    async def set_config_option(
        self, session_id: str, config_id: str, value: str | bool
    ) -> tuple[options.ConfigOption, ...]:
        """Sets an option; all options after it."""
        kind = "boolean" if isinstance(value, bool) else None
        answer = await self.connection.request(
            "session/set_config_option",
            options.SetSessionConfigOptionRequest(session_id, config_id, value, kind),
            options.SetSessionConfigOptionResponse,
        )
        return answer.config_options

    async def close(self) -> None:
        """Ends the connection; see `Connection.close`."""
        await self.connection.close()
