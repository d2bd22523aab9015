"""A whole coding task through each way into mm; then it is told once more, from what was kept."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from minime_agent import Agent
from tests.acp.sdk_client import running
from tests.coding_task import ANSWER, QUESTION, REPLIES, TRANSCRIPT, is_mended, lay_out, transcript
from tests.e2e.conftest import mm_environment
from tests.e2e.screen import CTRL_D, StartScreen
from tests.scripted_model import ScriptedModel, Text

Way = Callable[[str, Path, StartScreen], Awaitable[None]]


async def mm(url: str, folder: Path, *arguments: str) -> str:
    """Runs mm to its end; what it printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "minime_agent", "--base-url", url, *arguments),
        cwd=folder,
        env=mm_environment(folder),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out.decode()


async def terminal(url: str, _folder: Path, screen: StartScreen) -> None:
    shown = await screen(url, TERM="xterm-256color")
    await shown.shows("session ")
    shown.types(QUESTION.encode() + b"\r")
    for row in ("● read_file Read sums.py", "expected 6, got 7", "total = 0", "ok", ANSWER):
        await shown.shows(row)
    shown.types(CTRL_D)
    assert await shown.process.wait() == 0


async def plain_terminal(url: str, _folder: Path, screen: StartScreen) -> None:
    shown = await screen(url)
    await shown.shows("> ")
    shown.types(QUESTION.encode() + b"\n")
    await shown.shows(ANSWER)
    await shown.shows("> ")
    shown.types(b"/quit\n")
    assert await shown.process.wait() == 0


async def one_shot(url: str, folder: Path, _screen: StartScreen) -> None:
    assert ANSWER in await mm(url, folder, "-p", QUESTION)


async def events(url: str, folder: Path, _screen: StartScreen) -> None:
    lines = (await mm(url, folder, "-p", QUESTION, "--output-format", "stream-json")).splitlines()
    assert sum('"type":"tool_execution_end"' in line for line in lines) == 4


async def editor(url: str, folder: Path, _screen: StartScreen) -> None:
    command = (sys.executable, "-m", "minime_agent", "--acp", "--base-url", url)
    async with running(*command, env=mm_environment(folder)) as agent:
        session = await agent.new_session(str(folder))
        agent.client.answers = ["allow_once", "allow_once", "allow_once"]
        assert await agent.prompt(session, QUESTION) == "end_turn"
        assert agent.client.text(session).endswith(ANSWER)
        assert await agent.end() == ""


async def library(url: str, folder: Path, _screen: StartScreen) -> None:
    async with Agent(folder, baseURL=url, keep=True) as agent:
        assert (await agent.ask(QUESTION)).text == ANSWER


@pytest.mark.parametrize("way", [terminal, plain_terminal, one_shot, events, editor, library])
async def test_every_way_does_and_keeps_the_same(
    way: Way, screen: StartScreen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith(("MM_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    lay_out(tmp_path)
    async with ScriptedModel([*REPLIES, [Text("Nothing else.")]]) as server:
        await way(server.url, tmp_path, screen)
        assert is_mended(tmp_path)
        await mm(server.url, tmp_path, "-c", "-p", "Anything else?")
        assert transcript(server) == [*TRANSCRIPT, ("user", "Anything else?")]
