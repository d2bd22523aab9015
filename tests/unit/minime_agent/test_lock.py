from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from minime_agent.lock import exclusive, exclusive_async

HOLDER = """
import sys
from pathlib import Path
from minime_agent.lock import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "a.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


async def test_waits_for_another_process_without_holding_up_the_loop(holder, tmp_path: Path) -> None:
    entered = asyncio.Event()

    async def wait() -> None:
        async with exclusive_async(tmp_path / "a.lock"):
            entered.set()

    waiter = asyncio.create_task(wait())
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(entered.wait()), 0.1)
    holder.stdin.close()
    await asyncio.wait_for(waiter, 5)


async def test_kill_9_of_the_holder_frees_it(holder, tmp_path: Path) -> None:
    holder.kill()
    async with asyncio.timeout(5), exclusive_async(tmp_path / "a.lock"):
        pass


async def test_a_waiter_can_be_cancelled(holder, tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), exclusive_async(tmp_path / "a.lock"):
            pytest.fail("the lock is held")


def test_can_be_taken_again_after_use(tmp_path: Path) -> None:
    for _ in range(2):
        with exclusive(tmp_path / "a.lock"):
            pass
