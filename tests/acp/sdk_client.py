"""A client written with the official SDK that drives an agent's process and keeps what it gets."""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from typing import Any

import acp
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

LIMIT = 50 * 1024 * 1024


class SdkClient:
    """Keeps updates by session; `answers` are for permission requests: an option's kind, or None."""

    def __init__(self) -> None:
        self.updates: dict[str, list[Any]] = {}
        self.asked: list[Any] = []
        self.answers: list[str | None] = []
        self.hold = False
        self._changed = asyncio.Condition()

    def on_connect(self, conn: Any) -> None:
        del conn

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        async with self._changed:
            self.updates.setdefault(session_id, []).append(update)
            self._changed.notify_all()

    async def request_permission(self, tool_call: Any, options: Any, **_: Any) -> RequestPermissionResponse:
        async with self._changed:
            self.asked.append(tool_call)
            self._changed.notify_all()
        if self.hold:
            await asyncio.Event().wait()
        kind = self.answers.pop(0)
        if kind is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        chosen = next(option for option in options if option.kind == kind)
        return RequestPermissionResponse(
            outcome=AllowedOutcome(option_id=chosen.option_id, outcome="selected")
        )

    async def until(self, met: Callable[[], bool]) -> None:
        """Waits until something came that makes `met` true."""
        async with asyncio.timeout(20), self._changed:
            await self._changed.wait_for(met)

    def text(self, session_id: str) -> str:
        """The answer so far."""
        return "".join(
            u.content.text
            for u in self.updates.get(session_id, [])
            if u.session_update == "agent_message_chunk"
        )

    def kinds(self, session_id: str) -> list[str]:
        """The kinds of the updates so far."""
        return [u.session_update for u in self.updates.get(session_id, [])]


class Agent:
    """An agent's process, the SDK's connection to it, and the client that it talks to."""

    def __init__(self, client: SdkClient, connection: Any, process: Process) -> None:
        self.client = client
        self.connection = connection
        self.process = process

    async def new_session(self, cwd: str = "/", **more: Any) -> str:
        answer = await self.connection.new_session(cwd=cwd, mcp_servers=[], **more)
        return answer.session_id

    async def prompt(self, session_id: str, text: str) -> str:
        """Runs one turn; its stop reason."""
        answer = await self.connection.prompt(session_id=session_id, prompt=[acp.text_block(text)])
        return answer.stop_reason

    async def end(self) -> str:
        """Closes the agent's stdin and waits for its end; what it wrote on stderr."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        errors = await asyncio.wait_for(self.process.stderr.read(), 20)
        await asyncio.wait_for(self.process.wait(), 20)
        return errors.decode()


@contextlib.asynccontextmanager
async def running(*command: str, env: dict[str, str] | None = None) -> AsyncIterator[Agent]:
    """Starts an agent and shakes hands; it is ended afterwards if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=-1, stdout=-1, stderr=-1, env=env, limit=LIMIT
    )
    client: Any = SdkClient()
    connection = acp.connect_to_agent(client, process.stdin, process.stdout)
    try:
        await asyncio.wait_for(connection.initialize(protocol_version=1), 20)
        yield Agent(client, connection, process)
    finally:
        await connection.close()
        if process.returncode is None:
            process.kill()
        await process.communicate()
