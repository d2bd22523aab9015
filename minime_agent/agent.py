"""mm as a library: an agent in a folder, asked questions, its events as they happen."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from minime_agent.config.check import convert
from minime_agent.config.load import api_key
from minime_agent.engine.opening import Wanted, open_recorder
from minime_agent.engine.session import Outcome, Session
from minime_agent.store.sessions import SessionStore
from minime_agent.ui.events import Event, Permission, ToolStart

Allow: TypeAlias = Callable[[ToolStart], bool | Awaitable[bool]]


class Agent:
    """A conversation with a model that has tools; `async with` closes what it opened.

    `allow` is asked before each tool call that is not a mere look; without it every call runs, as in the
    terminal. `settings` are those of the settings file by their names there (`baseURL`, `maxTurns`,
    `sampling`); the file itself is not read. `keep`: the conversation is kept with the user's others, and
    `session` goes on with one of them: an id, a name, or `last` for the folder's newest.
    """

    def __init__(
        self,
        cwd: str | os.PathLike[str] = ".",
        *,
        model: str = "",
        tools: Sequence[str] | None = None,
        allow: Allow | None = None,
        keep: bool = False,
        session: str = "",
        **settings: Any,
    ) -> None:
        folder = Path(cwd).resolve()
        values = {**settings, "model": model} | ({"tools": list(tools)} if tools is not None else {})
        key = settings.get("apiKey") or api_key(values, os.environ)
        last = session == "last"
        wanted = Wanted(keep=keep or bool(session), last=last, session="" if last else session)
        recorder = open_recorder(SessionStore(), wanted, folder)
        self._recorder = recorder
        self._session = Session(convert({**values, "apiKey": key}), folder, recorder=recorder)
        self._allow = allow

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def ask(self, question: str) -> Outcome:
        """Runs one turn and returns its answer and how it ended.

        Raises `ModelError` when the model cannot be reached or used, `Stuck` when it repeats itself.
        Cancelling it stops the turn and keeps what was said.
        """
        return await self._session.prompt(question, _Events(self._allow, None))

    async def run(self, question: str) -> AsyncIterator[Event | Outcome]:
        """Runs one turn; gives its events as they happen, and last the outcome. Raises as `ask` does.

        Leaving the loop early stops the turn.
        """
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        turn = asyncio.create_task(self._session.prompt(question, _Events(self._allow, queue)))
        turn.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            yield await turn
        finally:
            if not turn.done():
                turn.cancel()
                await asyncio.wait({turn})

    async def close(self) -> None:
        """Lets go of the model, of what the tools run, and of the session's file."""
        await self._session.close()
        if self._recorder is not None:
            self._recorder.close()


class _Events:
    """The sink of one turn."""

    def __init__(self, allow: Allow | None, queue: asyncio.Queue[Event | None] | None) -> None:
        self._allow = allow
        self._queue = queue

    async def emit(self, event: Event) -> None:
        if self._queue is not None:
            self._queue.put_nowait(event)

    async def allow(self, call: ToolStart) -> Permission:
        if self._allow is None or call.kind in ("read", "search", "think"):
            return "allow"
        answer = self._allow(call)
        return "allow" if (await answer if inspect.isawaitable(answer) else answer) else "reject"
