from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.screen import Screen, StartScreen

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    """How a process of mm ended."""

    code: int | None
    out: str
    err: str


@dataclass(frozen=True)
class Running:
    """A process of mm."""

    process: asyncio.subprocess.Process

    async def ended(self, stdin: bytes | None = None) -> Ran:
        """Waits for its end."""
        out, err = await self.process.communicate(stdin)
        return Ran(self.process.returncode, out.decode(), err.decode())


StartMm = Callable[..., Awaitable[Running]]
RunMm = Callable[..., Awaitable[Ran]]


def mm_environment(home: Path) -> dict[str, str]:
    """An environment in which nothing of the person who runs the tests counts."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("MM_", "OPENAI_", "XDG_"))
    }
    return kept | {"HOME": str(home), "PYTHONPATH": str(ROOT), "USERPROFILE": str(home)}


@pytest.fixture
async def start_mm(tmp_path: Path) -> AsyncIterator[StartMm]:
    """Starts the real program in an empty folder; `pipe` gives it an open stdin."""
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir()
    folder.mkdir()
    started: list[asyncio.subprocess.Process] = []

    async def start(*arguments: str, pipe: bool = False, **environment: str) -> Running:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "minime_agent",
            *arguments,
            cwd=folder,
            env=mm_environment(home) | environment,
            stdin=asyncio.subprocess.PIPE if pipe else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        started.append(process)
        return Running(process)

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@pytest.fixture
def run_mm(start_mm: StartMm) -> RunMm:
    """Runs the program to its end; `stdin` is what comes through the pipe."""

    async def run(*arguments: str, stdin: str | None = None, **environment: str) -> Ran:
        running = await start_mm(*arguments, pipe=stdin is not None, **environment)
        return await running.ended(stdin.encode() if stdin is not None else None)

    return run


@pytest.fixture
async def screen(tmp_path: Path) -> AsyncIterator[StartScreen]:
    """Starts mm on a terminal of its own."""
    from tests.e2e.screen import open_screen

    async with AsyncExitStack() as stack:

        async def start(url: str, *arguments: str, columns: int = 80, **environment: str) -> Screen:
            return await open_screen(stack, tmp_path, url, *arguments, columns=columns, **environment)

        yield start
