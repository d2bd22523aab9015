"""The real program on a real X server: what a user types is answered, and nothing is left after the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from sidekicks.core import open_core
from sidekicks.models import Message, TextPart
from tests.e2e.xserver import User, x_server

ROOT = Path(__file__).parent.parent.parent
AGENT = ROOT / "tests" / "scripted_agent.py"
CONFIG = """
theme: light
language: en
agents:
  - name: echo
    title: Echo
    command: {python}
    args: [{agent}, "pidfile={folder}/agent.pid"]
"""

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.skipif(sys.platform != "linux", reason="an X server of its own"),
]


class Program:
    """`python -m sidekicks` with its own configuration and data, and a user in front of it."""

    def __init__(self, process: subprocess.Popen[str], user: User, folder: Path) -> None:
        self.process = process
        self.user = user
        self.folder = folder

    def end(self) -> tuple[int, str]:
        """Waits for the end; the exit code and what was written on stderr."""
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@contextmanager
def program(folder: Path) -> Iterator[Program]:
    config = folder / "sidekicks.yaml"
    config.write_text(CONFIG.format(python=sys.executable, agent=AGENT, folder=folder))
    with x_server() as display:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("QT_")}
        environment |= {"DISPLAY": display, "HOME": str(folder)}
        environment.pop("WAYLAND_DISPLAY", None)
        command = [sys.executable, "-m", "sidekicks", "--config", str(config), "--data-dir", str(folder)]
        with subprocess.Popen(
            command, env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                yield Program(process, User(display), folder)
            finally:
                process.kill()


async def stored(folder: Path) -> list[Message]:
    async with open_core(str(folder / "sidekicks.yaml"), data_dir=str(folder)) as core:
        channel = await core.channels.direct("echo")
        return list((await core.channels.conversation(channel.id)).messages)


def text(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))


def agent_of(folder: Path) -> int:
    return int((folder / "agent.pid").read_text())


def talk(user: User) -> None:
    """One question is answered; then the title tells of the permission that the second turn asks for."""
    user.sees("^Echo — Sidekicks$")
    user.types("hello there")
    user.presses("Return")
    user.types("!ask(execute, run it)")
    user.presses("Return")
    user.sees(r"^\(1\) Echo — Sidekicks$")


ENDS: dict[str, Callable[[Program], None]] = {
    "close": lambda program: program.user.closes_the_window(),
    "ctrl-q": lambda program: program.user.presses("ctrl+q"),
    "ctrl-c": lambda program: program.process.send_signal(signal.SIGINT),
    "SIGTERM": lambda program: program.process.send_signal(signal.SIGTERM),
    "SIGHUP": lambda program: program.process.send_signal(signal.SIGHUP),
}


@pytest.mark.parametrize("end", ENDS)
async def test_a_conversation_is_kept_and_nothing_is_left(tmp_path: Path, end: str) -> None:
    with program(tmp_path) as running:
        talk(running.user)
        agent = agent_of(tmp_path)
        assert psutil.pid_exists(agent)
        ENDS[end](running)
        assert running.end() == (0, "")
        assert not psutil.pid_exists(agent)
    messages = await stored(tmp_path)
    assert [text(message) for message in messages][:2] == ["hello there", "echo: hello there"]


async def test_escape_stops_the_answer(tmp_path: Path) -> None:
    with program(tmp_path) as running:
        talk(running.user)
        running.user.presses("Escape")
        running.user.sees("^Echo — Sidekicks$")
        running.user.closes_the_window()
        assert running.end() == (0, "")
    answer = (await stored(tmp_path))[-1]
    assert answer.stop_reason == "cancelled"
