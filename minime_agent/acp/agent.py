"""mm as an agent of the protocol: sessions, their turns, their modes. The engine comes with a session."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from minime_agent.acp.wire.agent_side import AgentHandlers, RemoteClient
from minime_agent.acp.wire.base import Empty
from minime_agent.acp.wire.errors import (
    INTERNAL_ERROR,
    RESOURCE_NOT_FOUND,
    ConnectionClosedError,
    RequestError,
)
from minime_agent.acp.wire.handshake import (
    PROTOCOL_VERSION,
    AgentCapabilities,
    ClientCapabilities,
    Implementation,
    InitializeRequest,
    InitializeResponse,
    PromptCapabilities,
    SessionCapabilities,
)
from minime_agent.version import VERSION

if TYPE_CHECKING:
    from minime_agent.acp.permission import Permissions
    from minime_agent.acp.wire.options import SetSessionModeRequest
    from minime_agent.acp.wire.sessions import (
        NewSessionRequest,
        NewSessionResponse,
        PromptRequest,
        PromptResponse,
        SessionRequest,
    )
    from minime_agent.acp.wire.updates import SessionUpdate
    from minime_agent.ui.events import Sink


class Outcome(Protocol):
    """How a turn ended."""

    @property
    def stop(self) -> str:
        """The protocol's stop reason."""
        ...


class Engine(Protocol):
    """A conversation as this façade needs it; `engine.session.Session` is one."""

    async def prompt(self, text: str, sink: Sink) -> Outcome:
        """Runs one turn; cancelling the caller stops it."""
        ...

    async def close(self) -> None:
        """Lets go of the model."""
        ...


log = logging.getLogger(__name__)

MakeSession = Callable[[Path], Engine]


class _Session:
    """A conversation of this connection; its turns run one after the other."""

    def __init__(self, engine: Engine, permissions: Permissions) -> None:
        self.engine = engine
        self.permissions = permissions
        self.call_numbers = itertools.count(1)
        self.turns: set[asyncio.Task[str]] = set()
        self.lock = asyncio.Lock()

    def stop(self) -> None:
        """Stops the turn that runs and those that wait for it."""
        for turn in self.turns:
            turn.cancel()

    async def end(self) -> None:
        """Stops everything and lets go of the model."""
        self.stop()
        if self.turns:
            await asyncio.wait(self.turns)
        await self.engine.close()


class Agent(AgentHandlers):
    """Answers one client. `make_session` builds a conversation; the client is told its ConfigErrors."""

    def __init__(self, client: RemoteClient, make_session: MakeSession) -> None:
        self._client = client
        self._make_session = make_session
        self._sessions: dict[str, _Session] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._capabilities = ClientCapabilities()

    async def close(self) -> None:
        """Ends every session; prompts that run answer `cancelled` while the connection still stands."""
        sessions = list(self._sessions.values())
        self._sessions.clear()
        ends = await asyncio.gather(*(session.end() for session in sessions), return_exceptions=True)
        for error in ends:
            if isinstance(error, BaseException):
                log.error("a session did not end cleanly", exc_info=error)
        for task in self._tasks:
            task.cancel()

    async def initialize(self, request: InitializeRequest) -> InitializeResponse:
        """Says what mm can do; loads nothing and reaches nobody."""
        self._capabilities = request.client_capabilities or self._capabilities
        return InitializeResponse(
            PROTOCOL_VERSION,
            AgentCapabilities(
                prompt_capabilities=PromptCapabilities(embedded_context=True),
                session_capabilities=SessionCapabilities(close=Empty()),
            ),
            agent_info=Implementation("mm", VERSION, "Mini Me"),
        )

    async def new_session(self, request: NewSessionRequest) -> NewSessionResponse:
        """Makes a conversation in the folder; what there is to say about it follows the answer."""
        from minime_agent.acp.permission import Permissions
        from minime_agent.acp.wire.sessions import NewSessionResponse
        from minime_agent.config.check import ConfigError

        folder = Path(request.cwd)
        if not folder.is_absolute() or not folder.is_dir():  # noqa: ASYNC240 — one look
            raise RequestError.invalid_params(f"cwd must be an existing folder's absolute path: {folder}")
        try:
            engine = self._make_session(folder)
        except ConfigError as error:
            raise RequestError(INTERNAL_ERROR, str(error)) from error
        session = _Session(engine, Permissions())
        session_id = os.urandom(16).hex()
        self._sessions[session_id] = session
        self._tell_after_the_answer(session_id, bool(request.mcp_servers))
        return NewSessionResponse(session_id, session.permissions.state())

    async def close_session(self, request: SessionRequest) -> Empty:
        """Stops a conversation and forgets it."""
        session = self._session(request.session_id)
        del self._sessions[request.session_id]
        await session.end()
        return Empty()

    async def set_mode(self, request: SetSessionModeRequest) -> Empty:
        """Chooses what runs without a question."""
        from minime_agent.acp.permission import MODES

        session = self._session(request.session_id)
        known = [mode.id for mode in MODES]
        if request.mode_id not in known:
            raise RequestError.invalid_params(f"no mode {request.mode_id!r}; there are {', '.join(known)}")
        session.permissions.mode = request.mode_id
        return Empty()

    async def prompt(self, request: PromptRequest) -> PromptResponse:
        """Runs a turn, after those that the session already has."""
        from minime_agent.acp.blocks import prompt_text
        from minime_agent.acp.wire.sessions import PromptResponse
        from minime_agent.engine.errors import ModelError, Stuck

        session = self._session(request.session_id)
        text = prompt_text(request.prompt)
        turn = asyncio.create_task(self._turn(request.session_id, session, text))
        session.turns.add(turn)
        try:
            return PromptResponse(await turn)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise  # not the turn alone: the request was withdrawn, or the connection ended
            return PromptResponse("cancelled")
        except (ModelError, Stuck) as error:
            raise RequestError(INTERNAL_ERROR, str(error)) from error
        finally:
            session.turns.discard(turn)

    async def _turn(self, session_id: str, session: _Session, text: str) -> str:
        from minime_agent.acp.sink import TurnSink

        async with session.lock:
            offered = self._capabilities.session
            sink = TurnSink(
                self._client,
                session_id,
                session.permissions,
                session.call_numbers,
                notices=self._notices,
                compactions=offered is not None and offered.compaction is not None,
            )
            return (await session.engine.prompt(text, sink)).stop

    async def cancel(self, request: SessionRequest) -> None:
        """Stops the session's turns; an unknown session has none."""
        if session := self._sessions.get(request.session_id):
            session.stop()

    @property
    def _notices(self) -> bool:
        offered = self._capabilities.session
        return offered is not None and offered.notices is not None

    def _session(self, session_id: str) -> _Session:
        if (session := self._sessions.get(session_id)) is None:
            raise RequestError(RESOURCE_NOT_FOUND, f"No session {session_id} here; make one first")
        return session

    def _tell_after_the_answer(self, session_id: str, ignored_servers: bool) -> None:
        from minime_agent.acp.sink import notice
        from minime_agent.acp.wire.updates import AvailableCommandsUpdate

        news: list[SessionUpdate] = [AvailableCommandsUpdate(())]
        if ignored_servers:
            text = "mm does not use the MCP servers of its client; they are ignored."
            news.append(notice(text, "warning", understood=self._notices))
        # The answer is written before a new task gets its turn.
        task = asyncio.create_task(self._tell(session_id, news))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, session_id: str, news: list[SessionUpdate]) -> None:
        try:
            for update in news:
                await self._client.session_update(session_id, update)
        except ConnectionClosedError:
            return  # nobody is left to tell
