"""A connection under test and the bare other end of its streams."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import msgspec
import pytest

from minime_agent.acp.wire.connection import Connection
from minime_agent.acp.wire.decode import loads


class Peer:
    """The other end: bytes in, bytes out, nothing interpreted."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, *lines: bytes | dict[str, object]) -> None:
        """Sends lines at once."""
        encoded = [line if isinstance(line, bytes) else msgspec.json.encode(line) for line in lines]
        self.writer.write(b"".join(line + b"\n" for line in encoded))
        await self.writer.drain()

    async def receive(self) -> dict[str, object]:
        """The next message."""
        line = await asyncio.wait_for(self.reader.readline(), 10)
        assert line, "the connection was closed"
        return msgspec.json.decode(line, type=dict[str, object])


class Recorder:
    """A handler that keeps what it got; `gates` makes it wait, by method."""

    def __init__(self) -> None:
        self.got: list[tuple[str, object]] = []
        self.began: dict[str, asyncio.Event] = {}
        self.gates: dict[str, asyncio.Event] = {}
        self.cancelled: list[str] = []
        self.changed = asyncio.Event()

    async def _take(self, method: str, params: msgspec.Raw) -> object:
        value = loads(bytes(params))
        self.got.append((method, value))
        self.changed.set()
        if method in self.began:
            self.began[method].set()
        if method in self.gates:
            try:
                await self.gates[method].wait()
            except asyncio.CancelledError:
                self.cancelled.append(method)
                raise
        return value

    async def request(self, method: str, params: msgspec.Raw) -> object:
        return {"echo": await self._take(method, params)}

    async def notification(self, method: str, params: msgspec.Raw) -> None:
        await self._take(method, params)

    async def until(self, count: int) -> None:
        """Waits until so many messages came."""
        async with asyncio.timeout(20):
            while len(self.got) < count:
                self.changed.clear()
                await self.changed.wait()


class Pair:
    """A started connection, what it got, what it called junk, its raw log, and its peer."""

    def __init__(self, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter], peer: Peer) -> None:
        self.peer = peer
        self.handler = Recorder()
        self.junk: list[bytes] = []
        self.log: list[tuple[str, bytes]] = []
        self.connection = Connection(
            *streams, on_junk=self.junk.append, trace=lambda way, line: self.log.append((way, line))
        )
        self.connection.start(self.handler)


@pytest.fixture
async def pair() -> AsyncIterator[Pair]:
    ours, theirs = socket.socketpair()
    peer = Peer(*await asyncio.open_connection(sock=theirs))
    pair = Pair(await asyncio.open_connection(sock=ours), peer)
    yield pair
    await pair.connection.close()
    peer.writer.close()
    await peer.writer.wait_closed()
    assert asyncio.all_tasks() == {asyncio.current_task()}, "a task is left"
