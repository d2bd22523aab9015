"""mm as an agent of the protocol: sessions, their turns, their modes. The engine comes with a session."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from minime_agent.acp.conversation import Conversation, Engine
from minime_agent.acp.wire.agent_side import AgentHandlers, RemoteClient
from minime_agent.acp.wire.base import Empty
from minime_agent.acp.wire.errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
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
    from minime_agent.acp.stored import StoredSessions
    from minime_agent.acp.wire.options import (
        SetSessionConfigOptionRequest,
        SetSessionConfigOptionResponse,
        SetSessionModeRequest,
    )
    from minime_agent.acp.wire.sessions import (
        ForkSessionRequest,
        ListSessionsRequest,
        ListSessionsResponse,
        LoadSessionRequest,
        NewSessionRequest,
        NewSessionResponse,
        PromptRequest,
        PromptResponse,
        ResumeSessionRequest,
        SessionRequest,
        SessionState,
        SessionStatus,
        SetSessionTitleRequest,
        SetSessionTitleResponse,
    )
    from minime_agent.acp.wire.updates import SessionUpdate
    from minime_agent.engine.recorder import Recorder


log = logging.getLogger(__name__)

_COMPACT = "Make room in the model's context window"
_KEPT = SessionCapabilities(
    list=Empty(), delete=Empty(), resume=Empty(), close=Empty(), fork=Empty(), status=Empty(), title=Empty()
)

MakeSession = Callable[[Path, "Recorder | None"], Engine]


class Agent(AgentHandlers):
    """Answers one client. `make_session` builds a conversation; the client is told its ConfigErrors.

    `keep`: conversations are kept on the disk, and can be taken up again.
    """

    def __init__(self, client: RemoteClient, make_session: MakeSession, *, keep: bool) -> None:
        self._client = client
        self._make_session = make_session
        self._keep = keep
        self._sessions: dict[str, Conversation] = {}
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
                load_session=self._keep,
                session_capabilities=_KEPT if self._keep else SessionCapabilities(close=Empty()),
            ),
            agent_info=Implementation("mm", VERSION, "Mini Me"),
        )

    async def new_session(self, request: NewSessionRequest) -> NewSessionResponse:
        """Makes a conversation in the folder; what there is to say about it follows the answer."""
        from minime_agent.acp.options import options
        from minime_agent.acp.wire.sessions import NewSessionResponse

        folder = _folder(request.cwd)
        recorder = self._stored.new(folder) if self._keep else None
        session_id, session = self._begin(folder, recorder)
        self._tell_after_the_answer(session_id, session, bool(request.mcp_servers))
        return NewSessionResponse(session_id, session.permissions.state(), options(session.engine, ()))

    async def load_session(self, request: LoadSessionRequest) -> SessionState:
        """Takes a conversation up again; all of it is shown before the answer."""
        from minime_agent.acp.replay import replay

        state = await self._take_up(request)
        session = self._session(request.session_id)
        if session.recorder is not None:
            for update in replay(session.recorder.path(), session.call_numbers):
                await self._client.session_update(request.session_id, update)
        return state

    async def resume_session(self, request: ResumeSessionRequest) -> SessionState:
        """Takes a conversation up again without showing it."""
        return await self._take_up(request)

    async def fork_session(self, request: ForkSessionRequest) -> NewSessionResponse:
        """Makes a conversation that begins as another one is now."""
        from minime_agent.acp.options import options
        from minime_agent.acp.wire.sessions import NewSessionResponse

        folder = _folder(request.cwd)
        origin = self._sessions.get(request.session_id)
        recorder = self._stored.fork(request.session_id, origin.recorder if origin else None, folder)
        session_id, session = self._begin(folder, recorder)
        self._tell_after_the_answer(session_id, session, bool(request.mcp_servers))
        return NewSessionResponse(session_id, session.permissions.state(), options(session.engine, ()))

    async def list_sessions(self, request: ListSessionsRequest) -> ListSessionsResponse:
        """Names the conversations on the disk."""
        return self._stored.page(request)

    async def session_status(self, request: SessionRequest) -> SessionStatus:
        """Says whether a conversation is open here, or on the disk."""
        from minime_agent.acp.wire.sessions import SessionStatus

        if request.session_id in self._sessions:
            return SessionStatus("open")
        self._stored.path(request.session_id)
        return SessionStatus("saved")

    async def set_title(self, request: SetSessionTitleRequest) -> SetSessionTitleResponse:
        """Names a conversation."""
        from minime_agent.acp.wire.sessions import SetSessionTitleResponse

        title = " ".join(request.title.split())
        session = self._sessions.get(request.session_id)
        if session is not None and session.recorder is not None:
            session.recorder.name(title)
            session.title = title
        else:
            self._stored.name(request.session_id, title)
        return SetSessionTitleResponse(title)

    async def close_session(self, request: SessionRequest) -> Empty:
        """Stops a conversation; what is on the disk stays."""
        session = self._session(request.session_id)
        del self._sessions[request.session_id]
        await session.end()
        return Empty()

    async def delete_session(self, request: SessionRequest) -> Empty:
        """Stops a conversation and deletes it."""
        session = self._sessions.pop(request.session_id, None)
        if session is not None:
            await session.end()
        self._stored.delete(request.session_id, missing_ok=session is not None)
        return Empty()

    @functools.cached_property
    def _stored(self) -> StoredSessions:
        if not self._keep:
            raise RequestError(METHOD_NOT_FOUND, "mm runs with --no-session: no conversation is kept")
        from minime_agent.acp.stored import StoredSessions
        from minime_agent.store.sessions import SessionStore

        return StoredSessions(SessionStore())

    async def _take_up(self, request: LoadSessionRequest | ResumeSessionRequest) -> SessionState:
        from minime_agent.acp.options import options
        from minime_agent.acp.wire.sessions import SessionState

        folder = _folder(request.cwd)
        if (former := self._sessions.pop(request.session_id, None)) is not None:
            await former.end()
        _, session = self._begin(folder, self._stored.open(request.session_id))
        self._tell_after_the_answer(request.session_id, session, bool(request.mcp_servers))
        return SessionState(session.permissions.state(), options(session.engine, ()))

    def _begin(self, folder: Path, recorder: Recorder | None) -> tuple[str, Conversation]:
        """Makes what is needed for a conversation's turns; its id."""
        from minime_agent.acp.permission import Permissions
        from minime_agent.config.check import ConfigError

        try:
            engine = self._make_session(folder, recorder)
        except ConfigError as error:
            if recorder is not None:
                recorder.close()
            raise RequestError(INTERNAL_ERROR, str(error)) from error
        session_id = recorder.id if recorder else os.urandom(16).hex()
        session = self._sessions[session_id] = Conversation(engine, Permissions(), recorder)
        return session_id, session

    async def set_mode(self, request: SetSessionModeRequest) -> Empty:
        """Chooses what runs without a question."""
        from minime_agent.acp.permission import MODES

        session = self._session(request.session_id)
        known = [mode.id for mode in MODES]
        if request.mode_id not in known:
            raise RequestError.invalid_params(f"no mode {request.mode_id!r}; there are {', '.join(known)}")
        session.permissions.mode = request.mode_id
        return Empty()

    async def set_config_option(
        self, request: SetSessionConfigOptionRequest
    ) -> SetSessionConfigOptionResponse:
        """Sets the model, or whether it reasons; after the turns that the session already has."""
        from minime_agent.acp.options import choose, options
        from minime_agent.acp.wire.options import SetSessionConfigOptionResponse

        session = self._session(request.session_id)
        async with session.lock:
            await choose(session.engine, session.models, request)
        return SetSessionConfigOptionResponse(options(session.engine, session.models))

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

    async def _turn(self, session_id: str, session: Conversation, text: str) -> str:
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
            try:
                word, _, rest = text.strip().partition(" ")
                if word == "/compact":
                    await session.engine.compact(sink, rest.strip())
                    return "end_turn"
                return (await session.engine.prompt(text, sink)).stop
            finally:
                await self._tell_title(session_id, session)
                await self._tell_model(session_id, session)

    async def _tell_model(self, session_id: str, session: Conversation) -> None:
        """Tells which model answers, once it is known; a server's first one has no name before."""
        from minime_agent.acp.options import options
        from minime_agent.acp.wire.updates import ConfigOptionUpdate

        if session.answering != session.engine.answering:
            session.answering = session.engine.answering
            await self._tell(session_id, [ConfigOptionUpdate(options(session.engine, session.models))])

    async def _tell_title(self, session_id: str, session: Conversation) -> None:
        """Tells what the conversation is called, when that has changed."""
        from minime_agent.acp.wire.updates import SessionInfoUpdate

        if session.recorder is not None and session.recorder.title != session.title:
            session.title = session.recorder.title
            await self._tell(session_id, [SessionInfoUpdate(session.title)])

    async def cancel(self, request: SessionRequest) -> None:
        """Stops the session's turns; an unknown session has none."""
        if session := self._sessions.get(request.session_id):
            session.stop()

    @property
    def _notices(self) -> bool:
        offered = self._capabilities.session
        return offered is not None and offered.notices is not None

    def _session(self, session_id: str) -> Conversation:
        if (session := self._sessions.get(session_id)) is None:
            raise RequestError(RESOURCE_NOT_FOUND, f"No session {session_id} here; make one first")
        return session

    def _tell_after_the_answer(self, session_id: str, session: Conversation, ignored_servers: bool) -> None:
        from minime_agent.acp.sink import notice
        from minime_agent.acp.wire.updates import AvailableCommand, AvailableCommandsUpdate, CommandInput

        commands = (
            AvailableCommand(one.name, one.description, CommandInput(one.hint) if one.hint else None)
            for one in session.engine.commands
        )
        compact = AvailableCommand("compact", _COMPACT, CommandInput("what the summary is to keep"))
        news: list[SessionUpdate] = [AvailableCommandsUpdate((compact, *commands))]
        if ignored_servers:
            text = "mm does not use the MCP servers of its client; they are ignored."
            news.append(notice(text, "warning", understood=self._notices))
        # The answer is written before a new task gets its turn.
        for work in (self._tell(session_id, news), self._tell_models(session_id, session)):
            task = asyncio.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _tell_models(self, session_id: str, session: Conversation) -> None:
        """Tells which models there are, once the server has said it."""
        from minime_agent.acp.options import options
        from minime_agent.acp.wire.updates import ConfigOptionUpdate

        async with session.lock:
            session.models = await session.engine.models()
        if session.models:
            await self._tell(session_id, [ConfigOptionUpdate(options(session.engine, session.models))])

    async def _tell(self, session_id: str, news: Sequence[SessionUpdate]) -> None:
        try:
            for update in news:
                await self._client.session_update(session_id, update)
        except ConnectionClosedError:
            return  # nobody is left to tell


def _folder(cwd: str) -> Path:
    folder = Path(cwd)
    if not folder.is_absolute() or not folder.is_dir():
        raise RequestError.invalid_params(f"cwd must be an existing folder's absolute path: {folder}")
    return folder.resolve()
