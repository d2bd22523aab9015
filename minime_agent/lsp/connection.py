"""JSON-RPC with one language server on its stdin and stdout."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from minime_agent import processes

T = TypeVar("T")

_LARGEST = 64 << 20
"""Bytes of one message; a server that says more is not one."""
_STDERR_LINES = 20
_FAREWELL = 1.0
"""Seconds that a server has to end by itself."""
_UNKNOWN_METHOD = -32601


class LspError(Exception):
    """The server can't or doesn't answer; the message is a sentence without a full stop."""


class _Error(msgspec.Struct):
    message: str = ""
    code: int = 0


class Message(msgspec.Struct):
    """One message, either way."""

    id: int | str | None = None
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"null")
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: _Error | None = None


class Connection:
    """A running server. `noticed` takes its notifications."""

    def __init__(
        self, process: asyncio.subprocess.Process, name: str, noticed: Callable[[Message], None]
    ) -> None:
        self._process = process
        self._name = name
        self._noticed = noticed
        self._numbers = itertools.count(1)
        self._waiting: dict[int | str, asyncio.Future[msgspec.Raw]] = {}
        self._errors: deque[str] = deque(maxlen=_STDERR_LINES)
        self._tasks = (asyncio.create_task(self._read()), asyncio.create_task(self._read_errors()))

    @classmethod
    async def start(cls, command: Sequence[str], cwd: Path, noticed: Callable[[Message], None]) -> Connection:
        """Starts a server in a group of its own. Raises `LspError`."""
        pipe = asyncio.subprocess.PIPE
        environment = {name: value for name, value in os.environ.items() if name != "MM_API_KEY"}
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=cwd,
                env=environment,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                **processes.spawn_options(),
            )
        except OSError as error:
            raise LspError(f"{command[0]} could not be started: {error.strerror}") from None
        return cls(process, Path(command[0]).name, noticed)

    @property
    def ended(self) -> bool:
        """Whether the server is gone."""
        return self._tasks[0].done()

    async def request(self, method: str, params: object, kind: type[T] | Any, seconds: float) -> T:
        """Asks, and waits for the answer, as `kind`. Raises `LspError`."""
        number = next(self._numbers)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send({"id": number, "method": method, "params": params})
            async with asyncio.timeout(seconds):
                answer = await self._waiting[number]
        except TimeoutError:
            await self._send({"method": "$/cancelRequest", "params": {"id": number}})
            raise LspError(f"{self._name} did not answer {method} within {seconds:g}s") from None
        finally:
            del self._waiting[number]
        try:
            return msgspec.json.decode(answer, type=kind)
        except msgspec.DecodeError as error:
            raise LspError(
                f"{self._name} answered {method} in a form that is not understood: {error}"
            ) from None

    async def notify(self, method: str, params: object) -> None:
        """Tells the server something. Raises `LspError`."""
        await self._send({"method": method, "params": params})

    async def close(self) -> None:
        """Ends the server, politely at first; never fails."""
        assert self._process.stdin is not None
        try:
            async with asyncio.timeout(_FAREWELL):
                with suppress(LspError):
                    await self.request("shutdown", None, object, _FAREWELL)
                    await self._send({"method": "exit", "params": None})
                self._process.stdin.close()
                await self._process.wait()
        except TimeoutError:
            self._process.stdin.close()
        finally:
            if self._process.returncode is None:
                await processes.end(self._process)
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _send(self, body: dict[str, object]) -> None:
        if self.ended:
            raise LspError(self._how_it_ended())
        data = msgspec.json.encode({"jsonrpc": "2.0", **body})
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
            await self._process.stdin.drain()
        except ConnectionError:
            raise LspError(self._how_it_ended()) from None

    async def _read(self) -> None:
        """Takes what comes until the server is gone or sends what is no message."""
        reader = self._process.stdout
        assert reader is not None
        try:
            while (message := await _next(reader)) is not None:
                await self._take(message)
        except (ValueError, msgspec.DecodeError, asyncio.IncompleteReadError, LspError) as error:
            self._errors.append(f"not a message of the protocol: {error}")
        finally:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(LspError(self._how_it_ended()))

    async def _take(self, message: Message) -> None:
        if message.method and message.id is not None:
            await self._answer(message)
        elif message.method:
            self._noticed(message)
        elif message.id in self._waiting and not (answer := self._waiting[message.id]).done():
            if message.error is None:
                answer.set_result(message.result)
            else:
                answer.set_exception(LspError(f"{self._name}: {message.error.message or 'an error'}"))

    async def _answer(self, message: Message) -> None:
        """What servers ask of an editor: mm has no configuration for them, and nothing to register."""
        match message.method:
            case "workspace/configuration":
                items = msgspec.json.decode(message.params, type=dict[str, list[object]]).get("items", [])
                body: dict[str, object] = {"result": [None] * len(items)}
            case (
                "client/registerCapability" | "client/unregisterCapability" | "window/workDoneProgress/create"
            ):
                body = {"result": None}
            case "workspace/applyEdit":
                body = {"result": {"applied": False}}
            case method:
                body = {"error": {"code": _UNKNOWN_METHOD, "message": f"no {method} here"}}
        await self._send({"id": message.id, **body})

    async def _read_errors(self) -> None:
        reader = self._process.stderr
        assert reader is not None
        while data := await reader.read(1 << 16):
            self._errors.extend(data.decode("utf-8", "replace").splitlines()[-_STDERR_LINES:])

    def _how_it_ended(self) -> str:
        last = next((line.strip() for line in reversed(self._errors) if line.strip()), "")
        return f"{self._name} ended{f': {last[:300]}' if last else ''}"


async def _next(reader: asyncio.StreamReader) -> Message | None:
    """The next message; None at the end. Raises ValueError and its kin for what is none."""
    length = 0
    while (line := await reader.readline()).strip():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    if not line:
        return None
    if not 0 < length <= _LARGEST:
        raise ValueError(f"a length of {length} bytes")
    return msgspec.json.decode(await reader.readexactly(length), type=Message)
