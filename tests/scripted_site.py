"""A web site on loopback that answers as a test says; nothing but the standard library.

async with ScriptedSite({"/": Answer(b"<p>hello", "text/html")}) as site:
    ...  # site.url("/"); site.asked are the paths that were asked for
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True)
class Answer:
    """One answer; `hangs` sends only the head, `cut` promises more than it sends."""

    body: bytes = b""
    kind: str = "text/html"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    hangs: bool = False
    cut: bool = False


def redirect(to: str, status: int = 302) -> Answer:
    """An answer that sends on."""
    return Answer(status=status, headers={"Location": to})


@dataclass
class ScriptedSite:
    """The server. Every other path, /robots.txt too, answers 404."""

    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    asked: list[str] = field(default_factory=list[str])
    agents: list[str] = field(default_factory=list[str])
    _server: asyncio.Server | None = None
    _arrived: asyncio.Condition = field(default_factory=asyncio.Condition)
    _connections: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def host(self) -> str:
        """`127.0.0.1:port`."""
        assert self._server is not None
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"http://{self.host}{path}"

    async def was_asked(self, path: str) -> None:
        """Waits until somebody asked for a path."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: path in self.asked)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            await self._answer(head, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or the server is closing
        finally:
            self._connections.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = head.split(" ", 2)[1]
        async with self._arrived:
            self.asked.append(path)
            self._arrived.notify_all()
        self.agents += [line[12:] for line in head.split("\r\n") if line.lower().startswith("user-agent: ")]
        answer = self.answers.get(path) or Answer(b"nothing here", "text/plain", 404)
        headers = {
            "Connection": "close",
            "Content-Length": str(len(answer.body) + answer.cut),
            **answer.headers,
        }
        if answer.kind:
            headers["Content-Type"] = answer.kind
        rows = [
            f"HTTP/1.1 {answer.status} Scripted",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        writer.write("\r\n".join([*rows, "", ""]).encode("latin-1"))
        if answer.hangs:
            await writer.drain()
            await reader.read(1)
        writer.write(answer.body)
        await writer.drain()
