"""Which real agents there are, and the table of what they did.

Runs only when the variable names a file: nothing of this is part of what `make test` must show.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from pathlib import Path

import psutil
import pytest

from sidekicks import open_core
from sidekicks.config.load import load
from sidekicks.core import Core

VARIABLE = "SIDEKICKS_INTEROP_AGENTS"
MISSING = f"{VARIABLE} names no YAML file of real agents (docs/development.md)"

Open = Callable[[], AbstractAsyncContextManager[Core]]
Step = Callable[[str, str], AbstractContextManager[list[str]]]
Row = tuple[str, str, float, str]
ROWS = pytest.StashKey[list[Row]]()


def configured() -> list[str]:
    """The names of the agents in the file; none when there is no file."""
    path = os.environ.get(VARIABLE, "")
    if not path:
        return []
    loaded = load(Path(path).read_text(encoding="utf-8"), Path(path).resolve().parent, os.environ)
    if loaded.config is None:
        problems = "; ".join(f"{found.line}:{found.column}: {found.message}" for found in loaded.problems)
        raise pytest.UsageError(f"{path}: {problems}")
    return [agent.name for agent in loaded.config.agents]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test once for every agent, `pair` is the first two; skipped when there are none."""
    names = configured()
    none = pytest.param("", marks=pytest.mark.skip(reason=MISSING))
    if "agent" in metafunc.fixturenames:
        metafunc.parametrize("agent", names or [none])
    if "pair" in metafunc.fixturenames:
        metafunc.parametrize("pair", [tuple(names[:2])] if len(names) > 1 else [none])


@pytest.fixture
def open_agents(tmp_path: Path) -> Open:
    """Opens the core with the real agents and a history of the test's own; nothing may be left of them."""

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Core]:
        async with open_core(os.environ[VARIABLE], tmp_path / "data") as core:
            yield core
        assert psutil.Process().children(recursive=True) == []

    return opened


@pytest.fixture
def step(request: pytest.FixtureRequest) -> Step:
    """Measures a step for the table; what is put into the list is told with it."""
    rows = request.config.stash.setdefault(ROWS, [])

    @contextmanager
    def measured(agent: str, name: str) -> Generator[list[str]]:
        began, remarks = time.monotonic(), list[str]()
        yield remarks
        rows.append((agent, name, time.monotonic() - began, "; ".join(remarks)))

    return measured


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The table."""
    rows = sorted(config.stash.get(ROWS, list[Row]()), key=lambda row: row[0])
    if rows:
        terminalreporter.section("real agents")
    for agent, name, seconds, remarks in rows:
        terminalreporter.line(f"{agent:12} {name:28} {seconds:6.1f} s  {remarks}")
