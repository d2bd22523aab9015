"""The whole product: the real window, the real mm, a scripted model server, a user at the keyboard."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from sidekicks.core import open_core
from sidekicks.models import Message, TextPart, ToolPart
from tests.e2e.xserver import User, x_server
from tests.scripted_model import ScriptedModel

ROOT = Path(__file__).parent.parent.parent
CONFIG = """
theme: light
language: en
agents:
  - name: mm
    title: Mini Me
    command: mm
    args: [--acp]
    cwd: {folder}
    env: {{MM_PROVIDER: openai, MM_BASE_URL: "{url}"}}
"""
COMMAND = "echo ran > proof.txt; cat proof.txt"

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.skipif(sys.platform != "linux", reason="an X server of its own"),
]


@dataclass
class Desk:
    """A user in front of the window; `model` plays what mm talks to."""

    user: User
    model: ScriptedModel
    folder: Path

    async def does(self, step: Callable[[], object]) -> None:
        """The user's steps run beside the model server."""
        await asyncio.to_thread(step)

    async def sends(self, text: str) -> None:
        await self.does(lambda: (self.user.types(text), self.user.presses("Return")))

    async def asks_for_a_tool(self) -> None:
        """Sends what makes the model call bash, and waits for the question."""
        await self.sends(f"RUNTOOL=`{COMMAND}`")
        await self.does(lambda: self.user.sees(r"^\(1\) Mini Me — Sidekicks$"))

    async def presses(self, *keys: str) -> None:
        await self.does(lambda: [self.user.presses(key) for key in keys])


@asynccontextmanager
async def desk(folder: Path, display: str, model: ScriptedModel) -> AsyncGenerator[Desk]:
    """The program, from its window's first sight to its orderly end."""
    config = folder / "sidekicks.yaml"
    config.write_text(CONFIG.format(folder=folder, url=model.url))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("QT_")}
    environment |= {"DISPLAY": display, "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    environment.pop("WAYLAND_DISPLAY", None)
    command = [sys.executable, "-m", "sidekicks", "--config", str(config), "--data-dir", str(folder / "data")]
    with subprocess.Popen(  # noqa: ASYNC220 - waited for in a thread, as the keys are typed in one
        command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            user = User(display)
            await asyncio.to_thread(user.sees, "^Mini Me — Sidekicks$")
            yield Desk(user, model, folder)
            await asyncio.to_thread(user.closes_the_window)
            _, errors = await asyncio.to_thread(process.communicate, timeout=60)
            assert (process.returncode, errors) == (0, "")
        finally:
            process.kill()


async def stored(folder: Path) -> list[Message]:
    async with open_core(folder / "sidekicks.yaml", folder / "data") as core:
        channel = await core.channels.direct("mm")
        return list((await core.channels.conversation(channel.id)).messages)


def text(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))


def tools(message: Message) -> list[ToolPart]:
    return [part for part in message.parts if isinstance(part, ToolPart)]


async def test_allow_runs_the_command_and_a_restart_shows_it_all(tmp_path: Path) -> None:
    async with ScriptedModel() as model:
        with x_server() as display:
            async with desk(tmp_path, display, model) as first:
                await first.asks_for_a_tool()
                assert not (tmp_path / "proof.txt").exists()
                await first.presses("Return", "Return")  # to the card, and Allow once
                await first.does(lambda: first.user.sees("^Mini Me — Sidekicks$"))
                told = await model.chat_arrived(2)
                assert "ran" in told["messages"][-1]["content"]
                await first.sends("thanks")  # is asked once the answer is over, and so kept
                await model.chat_arrived(3)
            async with desk(tmp_path, display, model) as second:
                await second.sends("hello again")
                await model.chat_arrived(4)
        messages = await stored(tmp_path)
    assert (tmp_path / "proof.txt").read_text() == "ran\n"
    assert [message.role for message in messages][:3] == ["user", "agent", "user"]
    (tool,) = tools(messages[1])
    assert (tool.kind, tool.status, tool.exit_code) == ("execute", "completed", 0)
    assert COMMAND in tool.input
    assert "ran" in tool.output
    assert "ran" in text(messages[1])
    assert messages[1].stop_reason == "end_turn"
    said = [text(message) for message in messages if message.role == "user"]
    assert said[1:] == ["thanks", "hello again"]


async def test_reject_tells_the_model_and_runs_nothing(tmp_path: Path) -> None:
    async with ScriptedModel() as model:
        with x_server() as display:
            async with desk(tmp_path, display, model) as at:
                await at.asks_for_a_tool()
                await at.presses("Return", "Escape")  # to the card, and Reject
                told = await model.chat_arrived(2)
                assert "did not allow" in told["messages"][-1]["content"]
                await at.does(lambda: at.user.sees("^Mini Me — Sidekicks$"))
                await at.sends("thanks")  # is asked once the answer is over, and so kept
                await model.chat_arrived(3)
        answer = (await stored(tmp_path))[1]
    assert not (tmp_path / "proof.txt").exists()
    assert tools(answer)[0].status == "failed"


async def test_stop_ends_the_answer_and_what_was_said_stays(tmp_path: Path) -> None:
    async with ScriptedModel() as model:
        with x_server() as display:
            async with desk(tmp_path, display, model) as at:
                await at.asks_for_a_tool()
                await at.presses("Escape")  # in the composer: Stop
                await at.does(lambda: at.user.sees("^Mini Me — Sidekicks$"))
                await at.sends("hello")
                await model.chat_arrived(2)
        messages = await stored(tmp_path)
    assert not (tmp_path / "proof.txt").exists()
    assert messages[1].stop_reason == "cancelled"
    assert len(tools(messages[1])) == 1
    assert text(messages[2]) == "hello"
