"""One run of an agent: its process, the connection to it, and what its end meant."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from minime_agent.guardian import Guardian
from sidekicks.acp.elicitation import Form, FormAnswer
from sidekicks.acp.errors import AgentFailureError, AgentGoneError
from sidekicks.acp.protocol_log import ProtocolLog
from sidekicks.acp.secrets import Masker, secrets_of
from sidekicks.acp.terminals import Terminals
from sidekicks.agents.exits import advice
from sidekicks.agents.process import PATIENCE, AgentProcess, Patience, SpawnError
from sidekicks.agents.stderr import Budget, Tail, plain
from sidekicks.agents.watched_groups import WatchedGroups
from sidekicks.models import AgentDefinition, AgentStatus
from sidekicks.tasks import Tasks
from sidekicks.version import VERSION

if TYPE_CHECKING:
    from sidekicks.acp.client import AgentClient

log = logging.getLogger(__name__)


class StartError(Exception):
    """An agent could not be started; the message is a sentence that says why."""


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent needs of the rest of the program, so that tests can give something else.

    `clock` tells seconds that only rise, `now` the time of day; `ask` puts an agent's question to the user;
    protocol logs are in `protocol_folder`.
    """

    resolve: Callable[[AgentDefinition], list[str] | None]
    on_state: Callable[[AgentStatus], None]
    on_line: Callable[[str, str], None]
    clock: Callable[[], float]
    now: Callable[[], datetime]
    guardian: Guardian
    tasks: Tasks
    ask: Callable[[str, Form], Coroutine[Any, Any, FormAnswer]]
    environment: Mapping[str, str] = os.environ
    protocol_folder: Path | None = None
    patience: Patience = PATIENCE


class Run:
    """The agent of one definition, from its start to its end; `open` once, `close` always."""

    def __init__(
        self, definition: AgentDefinition, around: Surroundings, tail: Tail, on_login: Callable[[str], None]
    ) -> None:
        """`on_login` is told why the agent needs a login, or "" that it needs none."""
        self._on_login = on_login
        self.definition = definition
        self.client: AgentClient | None = None
        self._around = around
        self._tail = tail
        self._process: AgentProcess | None = None
        self._deadline: asyncio.Timeout | None = None
        self._broken_off = False
        self._told = Budget(around.clock)
        self._log: ProtocolLog | None = None
        secrets = secrets_of(definition.env, definition.mcp_servers, around.environment)
        self.mask = tail.mask = Masker(secrets)

    async def open(self) -> None:
        """Starts the program and agrees with it on the protocol.

        Raises:
            StartError: it can't be started, ended, did not answer in time, or speaks something else.
        """
        timeout = self.definition.start_timeout
        try:
            async with asyncio.timeout(timeout) as self._deadline:
                if not self._broken_off:
                    await self._open()
        except TimeoutError:
            raise StartError(
                f"it did not answer within {timeout:g} s (`startTimeout` in the settings gives it longer)"
            ) from None
        except AgentGoneError as error:
            ended = await self._exit()
            hint = advice(self._tail.of_this_run)
            said = f"it {ended} before it answered" if ended else str(error)
            raise StartError(f"{said}: {hint}" if hint else said) from error
        except (SpawnError, AgentFailureError) as error:
            raise StartError(str(error)) from error
        except Exception as error:
            log.exception("starting %s failed", self.definition.name)
            raise StartError(f"it can't be started ({type(error).__name__}: {error})") from error
        finally:
            self._deadline = None

    @property
    def pid(self) -> int | None:
        """The id of its process, once there is one."""
        return self._process.pid if self._process is not None else None

    def break_off(self) -> None:
        """The start that is under way, or about to be, ends at once."""
        self._broken_off = True
        if self._deadline is not None and not self._deadline.expired():
            self._deadline.reschedule(asyncio.get_running_loop().time())

    async def over(self) -> str:
        """Waits until it has ended, or nobody can talk to it any more; says which, as a sentence."""
        assert self.client is not None
        await self.client.wait_closed()
        ended = await self._exit()
        return f"it {ended}" if ended else "it closed its output"

    async def close(self, *, is_unused: bool = False) -> None:
        """Ends what is left of it: the connection first, so that whoever waits for an answer learns it.

        When it `is_unused` there is time for the agent to close its sessions.
        """
        client, process = self.client, self._process
        if client is None:
            await self._end(process)
        else:
            if is_unused:
                await client.leave_all()
            # The connection waits up to a second for one that does not read: its time begins meanwhile.
            closing = self._around.tasks.start(client.close(), f"connection of {self.definition.name}")
            await asyncio.sleep(0)
            await client.wait_closed()
            await self._end(process)
            await asyncio.wait([closing])
        if self._log is not None:
            await self._log.close()

    async def _end(self, process: AgentProcess | None) -> None:
        if process is not None:
            await process.stop()
            self._around.guardian.forget(process.pid)

    # -- how it begins -------------------------------------------------------------------------------

    async def _open(self) -> None:
        from sidekicks.acp.client import AgentClient  # 10 ms: not while the window starts

        definition = self.definition
        command = self._around.resolve(definition)
        if command is None:
            raise SpawnError(
                f"the program {definition.command} was not found; install it,"
                f" or change `command` of the agent {definition.name} in the settings"
            )
        self._process = await AgentProcess.spawn(
            command,
            env={**self._around.environment, **definition.env},
            cwd=definition.cwd or str(Path.home()),
            tail=self._tail,
            on_line=self._tell,
            patience=self._around.patience,
        )
        self._around.guardian.watch(self._process.pid)
        self.client = AgentClient(
            self._process.stdout,
            self._process.stdin,
            on_junk=self._on_junk,
            trace=self._protocol_log(),
            mask=self.mask,
            hide=self.mask.known,
            terminals=Terminals(WatchedGroups(self._around.guardian), self._around.environment),
            on_login=self._on_login,
            on_note=self._tell,
            ask=partial(self._around.ask, definition.name),
        )
        closing = self._close_after_exit(self._process, self.client)
        self._around.tasks.start(closing, f"exit of {definition.name}")
        await self.client.handshake(VERSION)

    def _tell(self, line: str) -> None:
        if self._told.allows():
            self._around.on_line(self.definition.name, line)

    def _protocol_log(self) -> ProtocolLog | None:
        path = protocol_log_path(self._around.protocol_folder, self.definition)
        if path is not None:
            self._log = ProtocolLog(path, self.mask, now=self._around.now, on_trouble=self._say)
        return self._log

    def _on_junk(self, start: bytes) -> None:
        self._say(f"not the protocol: {plain(start[:200], self.mask)}")

    def _say(self, line: str) -> None:
        self._tail.add(line)
        self._tell(line)

    # -- how it ends ---------------------------------------------------------------------------------

    async def _close_after_exit(self, process: AgentProcess, client: AgentClient) -> None:
        """What it started may hold its output open for as long as it likes, and nobody answers any more."""
        await process.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._around.patience.last_words):
                await client.wait_closed()
        await client.close()

    async def _exit(self) -> str:
        """How the process ended whose connection broke, its last words heard; empty when it still runs."""
        process = self._process
        if process is None:
            return ""
        try:
            async with asyncio.timeout(self._around.patience.descendants):
                await process.wait()
        except TimeoutError:
            return ""
        await process.last_words()
        return process.how_it_ended()


def protocol_log_path(folder: Path | None, definition: AgentDefinition) -> Path | None:
    """Where everything that is said with the agent is written; None: it is not."""
    return folder / f"{definition.name}.jsonl" if folder is not None and definition.protocol_log else None
