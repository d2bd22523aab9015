"""`sidekicks ask` as a real process with a real agent."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from tests.core_parts import SCRIPTED
from tests.processes import gone

ROOT = Path(__file__).parents[2]


async def ask(folder: Path, *arguments: str, options: tuple[str, ...] = ()) -> Process:
    args = [str(SCRIPTED), f"pidfile={folder / 'pid'}", *options]
    config = folder / "sidekicks.yaml"
    config.write_text(json.dumps({"agents": [{"name": "ada", "command": sys.executable, "args": args}]}))
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sidekicks", "--config", str(config), "--data-dir", str(folder / "data")),
        *("ask", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        cwd=folder,
        env=os.environ | {"HOME": str(folder), "PYTHONPATH": str(ROOT)},
    )


async def ended(process: Process) -> tuple[int | None, str, str]:
    async with asyncio.timeout(60):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_the_answer_on_stdout_the_rest_on_stderr(tmp_path: Path) -> None:
    code, out, err = await ended(
        await ask(tmp_path, "ada", "!thought(hm) !text(Hello) !tool(read, a.txt, x)")
    )
    assert (code, out) == (0, "Hello\n")
    assert "a.txt" in err
    await gone(int((tmp_path / "pid").read_text()))


async def test_json_is_one_event_a_line(tmp_path: Path) -> None:
    code, out, err = await ended(await ask(tmp_path, "ada", "--json", "!text(Hello)"))
    events = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert {"message:updated", "message:delta", "turn:changed"} <= {event["event"] for event in events}
    assert [e["text"] for e in events if e["event"] == "message:delta"] == ["Hello"]


@pytest.mark.parametrize(("options", "result"), [([], "rejected"), (["--allow", "once"], "done (yes)")])
async def test_permissions(tmp_path: Path, options: list[str], result: str) -> None:
    code, out, err = await ended(await ask(tmp_path, "ada", "--json", *options, "!ask"))
    assert code == 0, err
    assert f'"output":"{result}"' in out


async def test_failures_are_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    code, out, err = await ended(await ask(tmp_path, "bob", "hello"))
    assert (code, out) == (1, "")
    assert err == "sidekicks: the configuration has no agent named bob\n"
    code, out, err = await ended(await ask(tmp_path, "ada", "hello", options=("exit=3",)))
    assert code == 1
    assert "exit code 3" in err
    code, out, err = await ended(await ask(tmp_path, "ada", "!text(so far) !error(-1, no luck)"))
    assert (code, out) == (1, "so far\n")
    assert "no luck" in err


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_a_signal_stops_the_answer_and_leaves_no_process(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process = await ask(tmp_path, "ada", "!text(begun) !silent")
    assert process.stdout is not None
    async with asyncio.timeout(30):
        assert await process.stdout.readexactly(5) == b"begun"
    process.send_signal(number)
    assert (await ended(process))[0] == code
    await gone(int((tmp_path / "pid").read_text()))
