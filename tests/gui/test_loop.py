"""How the program ends and where failures go: real processes, since both concern the whole process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

BEGIN = """
import asyncio, logging, sys
from sidekicks.ui import loop
logging.basicConfig(level=logging.WARNING, format="LOG %(name)s %(message)s", stream=sys.stdout)
"""

# The signal comes from outside and later: by then the loop is idle and executes no Python.
WAITING = """
import os, subprocess
async def main(shutdown):
    command = f"sleep 0.3; kill -s {name} {os.getpid()}"
    sender = subprocess.Popen(["sh", "-c", command])
    await shutdown.wait()
    await asyncio.sleep(0)
    sender.wait()
    print("ended in order", flush=True)
sys.exit(loop.run(main))
"""


@contextmanager
def program(code: str) -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(
        [sys.executable, "-c", BEGIN + code], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def run(code: str) -> tuple[int, str]:
    with program(code) as process:
        output, _ = process.communicate(timeout=30)
        return process.returncode, output


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
def test_signals_lead_to_the_orderly_end_even_when_the_window_is_idle(name: str) -> None:
    assert run(f"name = {name!r}\n{WAITING}") == (0, "ended in order\n")


def test_quitting_the_application_does_not_stop_the_loop_under_its_tasks() -> None:
    code = """
from PySide6.QtWidgets import QApplication
async def main(shutdown):
    asyncio.get_running_loop().call_soon(QApplication.quit)
    await shutdown.wait()
    await asyncio.sleep(0.01)
    print("ended in order", flush=True)
sys.exit(loop.run(main))
"""
    assert run(code) == (0, "ended in order\n")


def test_an_error_of_the_program_is_logged_and_is_the_exit_code() -> None:
    code = """
async def main(shutdown):
    raise OSError("disk full")
sys.exit(loop.run(main))
"""
    returncode, output = run(code)
    assert returncode == 1
    assert "LOG sidekicks.ui.loop" in output
    assert "disk full" in output


@pytest.mark.parametrize(
    ("failing", "expected"),
    [
        ("QTimer.singleShot(0, fail)", "unhandled exception"),
        ("asyncio.get_running_loop().call_soon(fail)", "asyncio: "),
        ("threading.Thread(target=fail).start()", "unhandled exception in a thread"),
        ("qWarning('something of Qt')", "something of Qt"),
    ],
)
def test_failures_without_another_way_out_reach_the_log(failing: str, expected: str) -> None:
    code = f"""
import threading
from PySide6.QtCore import QTimer, qWarning
def fail():
    raise ValueError("on purpose")
async def main(shutdown):
    {failing}
    await asyncio.sleep(0.05)
sys.exit(loop.run(main))
"""
    returncode, output = run(code)
    assert returncode == 0
    assert f"{expected}" in output
    assert output.startswith("LOG ")
