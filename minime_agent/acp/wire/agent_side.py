"""For an agent: what its client may ask of it, and the client as an object to talk to."""

from __future__ import annotations

from minime_agent.acp.wire import handshake, options, services, sessions, tools, updates
from minime_agent.acp.wire.base import Empty
from minime_agent.acp.wire.connection import Connection, OnJunk, Trace, report_junk
from minime_agent.acp.wire.errors import RequestError
from minime_agent.acp.wire.lines import ByteReader
from minime_agent.acp.wire.methods import AGENT_METHODS, Dispatch, ExtensionHandlers
from minime_agent.acp.wire.sender import ByteWriter


class AgentHandlers(ExtensionHandlers):
    """Answers a client. Override what the agent can do; the rest is answered with method not found.

    Each method may raise RequestError to answer with an error. Requests run side by side and are cancelled
    when the client withdraws them; `cancel` must not wait for the client.
    """

    async def initialize(self, request: handshake.InitializeRequest) -> handshake.InitializeResponse:
        """Says who is there and what it can do."""
        raise RequestError.method_not_found("initialize")

    async def authenticate(self, request: handshake.AuthenticateRequest) -> Empty:
        """Logs in."""
        raise RequestError.method_not_found("authenticate")

    async def logout(self, request: handshake.LogoutRequest) -> Empty:
        """Logs out."""
        raise RequestError.method_not_found("logout")

    async def auth_status(self, request: handshake.AuthStatusRequest) -> handshake.AuthStatus:
        """Says whether someone is logged in."""
        raise RequestError.method_not_found("auth/status")

    async def new_session(self, request: sessions.NewSessionRequest) -> sessions.NewSessionResponse:
        """Makes a session."""
        raise RequestError.method_not_found("session/new")

    async def load_session(self, request: sessions.LoadSessionRequest) -> sessions.SessionState:
        """Takes a session up again and replays it."""
        raise RequestError.method_not_found("session/load")

    async def resume_session(self, request: sessions.ResumeSessionRequest) -> sessions.SessionState:
        """Takes a session up again."""
        raise RequestError.method_not_found("session/resume")

    async def fork_session(self, request: sessions.ForkSessionRequest) -> sessions.NewSessionResponse:
        """Makes a session that begins as another one is."""
        raise RequestError.method_not_found("session/fork")

    async def list_sessions(self, request: sessions.ListSessionsRequest) -> sessions.ListSessionsResponse:
        """Names stored sessions."""
        raise RequestError.method_not_found("session/list")

    async def close_session(self, request: sessions.SessionRequest) -> Empty:
        """Ends a session and keeps it."""
        raise RequestError.method_not_found("session/close")

    async def delete_session(self, request: sessions.SessionRequest) -> Empty:
        """Forgets a session."""
        raise RequestError.method_not_found("session/delete")

    async def session_status(self, request: sessions.SessionRequest) -> sessions.SessionStatus:
        """Says whether a session is open."""
        raise RequestError.method_not_found("session/status")

    async def set_title(self, request: sessions.SetSessionTitleRequest) -> sessions.SetSessionTitleResponse:
        """Names a session."""
        raise RequestError.method_not_found("session/set_title")

    async def prompt(self, request: sessions.PromptRequest) -> sessions.PromptResponse:
        """Runs one turn."""
        raise RequestError.method_not_found("session/prompt")

    async def cancel(self, request: sessions.SessionRequest) -> None:
        """Stops the session's turn; its prompt answers `cancelled`."""

    async def set_mode(self, request: options.SetSessionModeRequest) -> Empty:
        """Chooses a mode."""
        raise RequestError.method_not_found("session/set_mode")

    async def set_model(self, request: options.SetSessionModelRequest) -> Empty:
        """Chooses a model, as it was done before options of category `model`."""
        raise RequestError.method_not_found("session/set_model")

    async def set_config_option(
        self, request: options.SetSessionConfigOptionRequest
    ) -> options.SetSessionConfigOptionResponse:
        """Sets an option."""
        raise RequestError.method_not_found("session/set_config_option")


class RemoteClient:
    """The client at the other end of an agent's connection. Errors are those of `Connection.request`."""

    def __init__(
        self,
        reader: ByteReader,
        writer: ByteWriter,
        *,
        on_junk: OnJunk = report_junk,
        trace: Trace | None = None,
    ) -> None:
        self.connection = Connection(reader, writer, peer="the client", on_junk=on_junk, trace=trace)

    def start(self, handlers: AgentHandlers) -> None:
        """Begins to read."""
        self.connection.start(Dispatch(handlers, AGENT_METHODS))

    async def session_update(self, session_id: str, update: updates.SessionUpdate) -> None:
        """Tells what happens in a session; waits while the client doesn't read."""
        await self.connection.notify("session/update", updates.SessionNotification(session_id, update))

    async def request_permission(
        self, request: tools.RequestPermissionRequest
    ) -> tools.RequestPermissionResponse:
        """Asks whether a call may run; cancel the caller to withdraw the question."""
        return await self.connection.request(
            "session/request_permission", request, tools.RequestPermissionResponse
        )

    async def read_text_file(self, request: services.ReadTextFileRequest) -> str:
        """A file's text as the client has it."""
        answer = await self.connection.request("fs/read_text_file", request, services.ReadTextFileResponse)
        return answer.content

    async def write_text_file(self, request: services.WriteTextFileRequest) -> None:
        """Writes a file through the client."""
        await self.connection.request("fs/write_text_file", request, Empty)

    async def create_terminal(self, request: services.CreateTerminalRequest) -> str:
        """Runs a command in a terminal of the client's; its id."""
        answer = await self.connection.request("terminal/create", request, services.CreateTerminalResponse)
        return answer.terminal_id

    async def terminal_output(self, session_id: str, terminal_id: str) -> services.TerminalOutputResponse:
        """What a terminal has shown so far."""
        request = services.TerminalRequest(session_id, terminal_id)
        return await self.connection.request("terminal/output", request, services.TerminalOutputResponse)

    async def wait_for_terminal_exit(self, session_id: str, terminal_id: str) -> services.TerminalExitStatus:
        """Waits until a terminal's command has ended."""
        request = services.TerminalRequest(session_id, terminal_id)
        return await self.connection.request("terminal/wait_for_exit", request, services.TerminalExitStatus)

    async def kill_terminal(self, session_id: str, terminal_id: str) -> None:
        """Ends a terminal's command; the output stays."""
        request = services.TerminalRequest(session_id, terminal_id)
        await self.connection.request("terminal/kill", request, Empty)

    async def release_terminal(self, session_id: str, terminal_id: str) -> None:
        """Ends a terminal's command and forgets the terminal."""
        request = services.TerminalRequest(session_id, terminal_id)
        await self.connection.request("terminal/release", request, Empty)

    async def create_elicitation(
        self, request: services.CreateElicitationRequest
    ) -> services.CreateElicitationResponse:
        """Asks the person something."""
        return await self.connection.request(
            "elicitation/create", request, services.CreateElicitationResponse
        )

    async def complete_elicitation(self, elicitation_id: str) -> None:
        """Tells that what a link asked for is done."""
        note = services.CompleteElicitationNotification(elicitation_id)
        await self.connection.notify("elicitation/complete", note)

    async def auth_status_update(self, status: handshake.AuthStatus) -> None:
        """Tells that someone logged in or out (unstable)."""
        await self.connection.notify("auth/status_update", status)

    async def close(self) -> None:
        """Ends the connection; see `Connection.close`."""
        await self.connection.close()
