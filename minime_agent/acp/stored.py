"""The sessions on the disk, as the protocol lists, takes up, forks and deletes them."""

from __future__ import annotations

from pathlib import Path

from minime_agent.acp.wire.errors import INTERNAL_ERROR, RESOURCE_NOT_FOUND, RequestError
from minime_agent.acp.wire.sessions import ListSessionsRequest, ListSessionsResponse, SessionInfo
from minime_agent.engine.recorder import Recorder
from minime_agent.store.errors import SessionError
from minime_agent.store.sessions import SessionStore
from minime_agent.store.tree import Tree

_PAGE = 100


class StoredSessions:
    """The user's sessions. What is wrong is a RequestError with the sentence for the person."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store

    def new(self, cwd: Path) -> Recorder:
        """A session that is on the disk once something was said."""
        return Recorder(self._store.new(cwd))

    def open(self, session_id: str) -> Recorder:
        """A session to go on with."""
        path = self.path(session_id)
        try:
            return Recorder(self._store.open(path))
        except SessionError as error:
            raise RequestError(INTERNAL_ERROR, str(error)) from error

    def fork(self, session_id: str, recorder: Recorder | None, cwd: Path) -> Recorder:
        """A session that begins as another one is, of which `recorder` is known where it is open here."""
        tree = recorder.file.tree if recorder else self._read(session_id)
        return Recorder(self._store.branch(tree, tree.leaf, cwd))

    def page(self, request: ListSessionsRequest) -> ListSessionsResponse:
        """Sessions, the one that was used last first."""
        rows = self._store.list(Path(request.cwd) if request.cwd else None)
        cursor = request.cursor or "0"
        if not cursor.isdecimal():
            raise RequestError.invalid_params(f"no cursor of this agent: {cursor}")
        start = int(cursor)
        shown = [
            SessionInfo(row.id, row.cwd, row.name or row.title or None, row.updated.isoformat())
            for row in rows[start : start + _PAGE]
            if row.cwd
        ]
        more = str(start + _PAGE) if len(rows) > start + _PAGE else None
        return ListSessionsResponse(tuple(shown), more)

    def name(self, session_id: str, name: str) -> None:
        """Names a session that is not open here."""
        recorder = self.open(session_id)
        recorder.name(name)
        recorder.close()

    def delete(self, session_id: str, *, missing_ok: bool) -> None:
        """Deletes a session. `missing_ok`: nothing may have been said in it yet."""
        if missing_ok and self._store.path(session_id) is None:
            return
        path = self.path(session_id)
        try:
            self._store.delete(path)
        except (SessionError, OSError) as error:
            raise RequestError(INTERNAL_ERROR, str(error)) from error

    def path(self, session_id: str) -> Path:
        """The session's file."""
        if (path := self._store.path(session_id)) is None:
            raise RequestError(RESOURCE_NOT_FOUND, f"No session {session_id} is stored here")
        return path

    def _read(self, session_id: str) -> Tree:
        try:
            return self._store.read(self.path(session_id))
        except SessionError as error:
            raise RequestError(INTERNAL_ERROR, str(error)) from error
