"""One process and its group: every step of stopping it, and what its end meant."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time

import pytest

from sidekicks.agents.exits import describe_exit
from sidekicks.agents.process import AgentProcess, Patience
from sidekicks.agents.stderr import Tail
from tests.core_parts import QUICK, number_in
from tests.processes import gone, is_running

SLOW = Patience(end_of_input=60, descendants=60, signal=60)
CHILD = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {!r}]).pid, flush=True);"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"


async def spawn(code: str, patience: Patience = QUICK) -> AgentProcess:
    return await AgentProcess.spawn(
        [sys.executable, "-c", code], env=os.environ, cwd="/", tail=Tail(), patience=patience
    )


async def test_the_end_of_its_input_is_enough_for_most() -> None:
    process = await spawn("import sys; sys.stdin.read(); sys.stderr.write('bye'); sys.exit(3)", SLOW)
    async with asyncio.timeout(20):
        await process.stop()
    assert process.how_it_ended() == "ended with exit code 3"
    assert process.tail.lines == ("bye",)


async def test_one_that_has_much_to_say_can_end() -> None:
    process = await spawn("import sys; sys.stdin.read(); sys.stdout.write('x' * 10_000_000)", SLOW)
    async with asyncio.timeout(20):
        await process.stop()
    assert process.ended


async def test_one_that_ignores_the_end_of_its_input_gets_sigterm() -> None:
    process = await spawn("import time; print(flush=True); time.sleep(600)")
    await process.stdout.readline()
    await process.stop()
    assert process.how_it_ended() == "was ended by SIGTERM"


async def test_one_that_ignores_sigterm_gets_sigkill() -> None:
    process = await spawn(f"print(flush=True); {STUBBORN}")
    await process.stdout.readline()
    before = time.monotonic()
    await process.stop()
    assert "SIGKILL" in process.how_it_ended()
    assert time.monotonic() - before >= QUICK.end_of_input + QUICK.signal


@pytest.mark.parametrize("parent", ["sys.stdin.read()", "__import__('os')._exit(1)", STUBBORN])
async def test_what_it_started_ends_with_it(parent: str) -> None:
    process = await spawn(CHILD.format(STUBBORN) + parent)
    child = number_in((await process.stdout.readline()).decode())
    assert is_running(child)
    await process.stop()
    assert not is_running(child)


async def test_a_descendant_that_holds_the_pipes_does_not_hide_the_exit() -> None:
    process = await spawn(CHILD.format("import time; time.sleep(600)") + "sys.exit(5)")
    async with asyncio.timeout(20):
        await process.wait()
    assert process.how_it_ended() == "ended with exit code 5"
    await process.stop()


async def test_stopping_twice_and_after_the_end() -> None:
    process = await spawn("pass")
    await asyncio.gather(process.stop(), process.stop())
    await process.stop()
    await gone(process.pid)


def test_exits_in_words() -> None:
    assert describe_exit(None) == ""
    assert describe_exit(0) == "ended by itself (exit code 0)"
    assert describe_exit(2) == "ended with exit code 2"
    assert describe_exit(-signal.SIGSEGV) == "was ended by SIGSEGV"
    assert describe_exit(-signal.SIGKILL).startswith("was ended by SIGKILL")
    assert describe_exit(-99) == "was ended by signal 99"
