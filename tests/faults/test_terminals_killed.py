"""kill -9 of the program while its agents' commands run: none of them is left."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from tests.core_parts import SCRIPTED
from tests.processes import gone, is_running

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "1"))
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")

STUBBORN = "trap '' TERM HUP INT; sleep 600 & echo pids $$ $! .; while :; do sleep 0.1; done;"
APP = """
import asyncio, re, sys
from sidekicks import open_core
from sidekicks.events import MessageDelta

async def main():
    async with open_core(sys.argv[1], data_dir=sys.argv[2]) as core:
        def told(event):
            if isinstance(event, MessageDelta) and event.kind == "tool":
                if found := re.search(r"pids (\\d+) (\\d+)", event.part.output):
                    print(*found.groups(), flush=True)
        core.events.listen(told)
        channel = await core.channels.direct("ada")
        await core.channels.send(channel.id, sys.argv[3])
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.timeout(60 + 10 * ROUNDS)
async def test_no_command_outlives_the_program(tmp_path: Path) -> None:
    config = tmp_path / "sidekicks.yaml"
    ada = {"name": "ada", "command": sys.executable, "args": [str(SCRIPTED)], "cwd": str(tmp_path)}
    config.write_text(json.dumps({"agents": [ada]}))
    for _ in range(ROUNDS):
        app = await asyncio.create_subprocess_exec(
            *(
                sys.executable,
                "-c",
                APP,
                str(config),
                str(tmp_path / "data"),
                f"!start({STUBBORN}) !show !silent",
            ),
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        assert app.stdout is not None
        async with asyncio.timeout(30):
            pids = [int(word) for word in (await app.stdout.readline()).split()]
        assert len(pids) == 2
        assert all(map(is_running, pids))
        app.kill()
        await app.communicate()
        await asyncio.gather(*map(gone, pids))
