"""The user's end of the embedded model: find its server or start it, and hold on to it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

import minime_agent
from minime_agent.embedded.errors import EmbeddedError
from minime_agent.embedded.protocol import CONTEXT, HOST, IDLE, Options, Report, State
from minime_agent.embedded.store import ModelStore
from minime_agent.folders import data_folder, private_folder
from minime_agent.lock import exclusive_async

_ANSWER = 5.0  # seconds in which a keeper says its first word
_START = 30.0  # seconds in which a new keeper listens: a Python start on a busy machine
_END = 3.0  # seconds in which a keeper notices that its engine has ended
_ATTEMPTS = 3  # a server may end between being found and being joined


class EmbeddedServer:
    """One model's HTTP server, kept running at least until `close` (or the end of this process).

    `base_url` is "http://127.0.0.1:PORT/v1", `api_key` the bearer token without which it answers 401,
    `model` the name it goes by, `context` its window in tokens.
    """

    def __init__(self, report: Report, options: Options, lease: _Lease) -> None:
        self.base_url = f"{report.address}/v1"
        self.api_key = lease.key
        self.model = Path(options.model).stem
        self.context = report.context
        self._log = options.file("log")
        self._lease = lease

    @property
    def alive(self) -> bool:
        """Whether the server still runs. False after an idle stop or a crash: `connect` again."""
        return not self._lease.ended

    async def over(self) -> None:
        """Returns once the server has ended: one that is ending must not be found and joined again."""
        await self._lease.over(_END)

    def explain(self) -> str:
        """A sentence for a person whose answer broke off because the server ended."""
        return f"The embedded model ended{_because(self._log)}: send the message again to restart it."

    async def close(self) -> None:
        """Let go of the server; it ends within a second unless others use it."""
        await self._lease.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def connect(
    model: str,
    on_progress: Callable[[str], None],
    *,
    data: Path | None = None,
    idle: float = IDLE,
    context: int = CONTEXT,
) -> EmbeddedServer:
    """The server of `model`: the one that this user already runs, or a new one.

    `model` is "" (the chosen one), an installed model's name, or the path of a GGUF file. `on_progress` gets
    short texts while it takes time. `data` replaces the user's data folder. `idle` (seconds) and `context`
    (tokens) count only when a new server starts. Raises EmbeddedError.
    """
    folder = data or data_folder()
    path = ModelStore(folder / "models").resolve(model)
    if importlib.util.find_spec("xllamacpp") is None:
        raise EmbeddedError(
            "The embedded model needs the package xllamacpp: run `pip install 'sidekicks[embedded]'`."
        )
    run = private_folder(folder / "run")
    options = Options(model=str(path), folder=str(run), idle=idle, context=context)
    for _ in range(_ATTEMPTS):
        lease = await _join_or_start(options)
        try:
            report = await lease.ready(lambda: on_progress(f"Loading {path.stem}"))
        except BaseException:
            await lease.close()
            raise
        if report.status == "ready":
            return EmbeddedServer(report, options, lease)
        await lease.close()
        if report.status == "failed":
            raise EmbeddedError(report.message)
    raise EmbeddedError(f"The embedded model ended while loading{_because(options.file('log'))}: try again.")


class _Lease:
    """The connection whose being open keeps a server running."""

    def __init__(
        self, key: str, first: Report, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.key = key
        self._first = first
        self._reader = reader
        self._writer = writer

    @property
    def ended(self) -> bool:
        return self._reader.at_eof() or self._writer.is_closing() or self._reader.exception() is not None

    async def ready(self, on_loading: Callable[[], None]) -> Report:
        """The first report that is not "loading"; "loading" if the keeper ended before."""
        if self._first.status != "loading":
            return self._first
        on_loading()
        try:
            line = await self._reader.readline()
        except OSError:
            line = b""
        return msgspec.json.decode(line, type=Report) if line.endswith(b"\n") else self._first

    async def over(self, limit: float) -> None:
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(limit):
                await self._reader.read()

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):  # it was reset: closed all the same
            await self._writer.wait_closed()


async def _join_or_start(options: Options) -> _Lease:
    if lease := await _join(options):
        return lease
    async with exclusive_async(options.file("lock")):
        # Whoever held the lock before has started one.
        if lease := await _join(options):
            return lease
        await asyncio.to_thread(_start_keeper, options)
        if lease := await _join(options):
            return lease
    raise _not_started(options)


async def _join(options: Options) -> _Lease | None:
    """A connection to the keeper that the state file names; None if none listens there (any more)."""
    try:
        state = _read_state(options)
        async with asyncio.timeout(_ANSWER):
            reader, writer = await asyncio.open_connection(HOST, state.port)
    except (OSError, TimeoutError, msgspec.MsgspecError):
        return None
    try:
        writer.write(state.key.encode() + b"\n")
        async with asyncio.timeout(_ANSWER):
            line = await reader.readline()
        return _Lease(state.key, msgspec.json.decode(line, type=Report), reader, writer)
    except (OSError, ValueError, TimeoutError):
        writer.close()  # it is ending, or another program took the port of one that is gone
        return None
    except BaseException:
        writer.close()
        raise


def _read_state(options: Options) -> State:
    return msgspec.json.decode(options.file("json").read_bytes(), type=State)


def _start_keeper(options: Options) -> None:
    """Start a keeper and wait until it listens; raises EmbeddedError."""
    # Opened for appending, so that the engine can empty it when it grows.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    log = os.open(options.file("log"), flags, 0o600)
    detached = 0
    if sys.platform == "win32":
        detached = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    try:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "minime_agent.embedded.keeper"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=Path(minime_agent.__file__).parent.parent,  # a checkout that is not installed works too
            start_new_session=True,
            creationflags=detached,
        )
    finally:
        os.close(log)
    assert keeper.stdin is not None
    assert keeper.stdout is not None
    too_late = threading.Timer(_START, keeper.kill)
    too_late.start()
    try:
        with keeper.stdin, keeper.stdout:
            keeper.stdin.write(msgspec.json.encode(options) + b"\n")
            keeper.stdin.close()
            listening = keeper.stdout.readline()
    except BrokenPipeError:
        listening = b""  # it ended before it read
    finally:
        too_late.cancel()
    if sys.platform != "win32":
        keeper.wait()  # it has left a process of its own behind
    if not listening:
        raise _not_started(options)


def _not_started(options: Options) -> EmbeddedError:
    log = options.file("log")
    return EmbeddedError(f"The embedded model could not be started{_because(log)}: its log is {log}.")


def _because(log: Path) -> str:
    """The last line that the server wrote to `log`, as " (…)"; "" if it wrote none."""
    try:
        lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError:
        return ""
    spoken = [line for line in lines if line]
    return f" ({spoken[-1][:300]})" if spoken else ""
