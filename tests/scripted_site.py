"""A web site on loopback that answers as a test says; nothing but the standard library.

async with ScriptedSite({"/": Answer(b"<p>hello", "text/html")}) as site:
    ...  # site.url("/"); site.asked are the paths that were asked for
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.loopback import LoopbackServer


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
class ScriptedSite(LoopbackServer):
    """The server. Every other path, /robots.txt too, answers 404."""

    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    asked: list[str] = field(default_factory=list[str])
    agents: list[str] = field(default_factory=list[str])
    _arrived: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def host(self) -> str:
        """`127.0.0.1:port`."""
        return f"127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"http://{self.host}{path}"

    async def was_asked(self, path: str) -> None:
        """Waits until somebody asked for a path."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: path in self.asked)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        await self._answer(head, reader, writer)

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
