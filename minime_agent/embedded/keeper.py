"""The process that users of the embedded model share: starts the engine, and ends it after the last user.

Started by `client`, with Options as one JSON line on stdin; writes one line to stdout when users can connect.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys

import msgspec

from minime_agent.embedded.protocol import HOST, Options, Report, State
from minime_agent.folders import write_private

_FIRST_USER = 5.0  # seconds in which whoever started the keeper must connect
_NEXT_USER = 0.5  # seconds in which another user may follow the last one


def main() -> None:
    """Detach from whoever started this, then keep the engine."""
    options = msgspec.json.decode(sys.stdin.buffer.readline(), type=Options)
    if sys.platform != "win32" and os.fork():
        os._exit(0)  # so that the starter is no parent that must reap
    asyncio.run(_Keeper(options).run())


class _Keeper:
    def __init__(self, options: Options) -> None:
        self._options = msgspec.structs.replace(options, key=secrets.token_urlsafe(24))
        self._report = Report("loading")
        self._users: set[asyncio.StreamWriter] = set()
        self._ended = asyncio.Event()
        self._leaving: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Until the engine ended or no user is left."""
        loop = asyncio.get_running_loop()
        if sys.platform != "win32":
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                loop.add_signal_handler(number, self._ended.set)
        server = await asyncio.start_server(self._on_user, HOST, 0)
        self._announce(server.sockets[0].getsockname()[1])
        self._leaving = loop.call_later(_FIRST_USER, self._ended.set)
        engine = asyncio.create_task(self._run_engine())
        await self._ended.wait()
        self._forget()
        server.close()
        engine.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await engine
        for user in self._users:
            user.close()

    def _announce(self, port: int) -> None:
        state = State(os.getpid(), port, self._options.key)
        write_private(self._options.file("json"), msgspec.json.encode(state))
        sys.stdout.write("listening\n")
        sys.stdout.close()
        os.close(1)
        os.open(os.devnull, os.O_WRONLY)  # takes the number 1, so that nothing else does

    def _forget(self) -> None:
        state_file = self._options.file("json")
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            if msgspec.json.decode(state_file.read_bytes(), type=State).pid == os.getpid():
                state_file.unlink()

    async def _run_engine(self) -> None:
        engine = await asyncio.create_subprocess_exec(
            *engine_command(), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        assert engine.stdin is not None
        assert engine.stdout is not None
        try:
            engine.stdin.write(msgspec.json.encode(self._options) + b"\n")
            line = await engine.stdout.readline()
            if line:
                self._publish(msgspec.json.decode(line, type=Report))
            code = await engine.wait()
            if not line:
                self._publish(
                    Report("failed", message=f"The embedded model ended while loading (exit code {code})")
                )
        finally:
            if engine.returncode is None:
                engine.kill()  # loading ignores everything softer, and there is nothing to save
                await engine.wait()
            self._ended.set()

    def _publish(self, report: Report) -> None:
        self._report = report
        for user in self._users:
            user.write(msgspec.json.encode(report) + b"\n")

    async def _on_user(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            key = (await reader.readline()).decode("utf-8", "replace").strip()
            if not secrets.compare_digest(key.encode(), self._options.key.encode()) or self._ended.is_set():
                return
            self._join(writer)
            await reader.read()  # a user says nothing more: this ends when the connection does
        except (OSError, ValueError):
            return  # the user was killed; a stranger sent a line without end
        finally:
            self._leave(writer)
            writer.close()

    def _join(self, user: asyncio.StreamWriter) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        self._users.add(user)
        user.write(msgspec.json.encode(self._report) + b"\n")

    def _leave(self, user: asyncio.StreamWriter) -> None:
        if user not in self._users:
            return
        self._users.remove(user)
        if not self._users:
            self._leaving = asyncio.get_running_loop().call_later(_NEXT_USER, self._ended.set)


def engine_command() -> list[str]:
    """How the engine is started."""
    return [sys.executable, "-m", "minime_agent.embedded.engine"]


if __name__ == "__main__":
    main()
