"""stdin and stdout as they come: pipes, files, /dev/null, one pipe for stdout and stderr."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import msgspec

from minime_agent.acp.wire.stdio import HIGH_WATER, ThreadReader, ThreadWriter

AGENT = [sys.executable, str(Path(__file__).parent / "wire_agent.py")]
INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n'


def test_stdout_carries_the_protocol_alone() -> None:
    done = subprocess.run(AGENT, input=INITIALIZE, capture_output=True, timeout=20, check=True)
    (line,) = done.stdout.splitlines()
    assert msgspec.json.decode(line)["id"] == 1
    assert b"printed by accident" in done.stderr


def test_stdin_and_stdout_are_files(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(INITIALIZE)
    with (tmp_path / "in").open("rb") as stdin, (tmp_path / "out").open("wb") as stdout:
        subprocess.run(AGENT, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, timeout=20, check=True)
    assert msgspec.json.decode((tmp_path / "out").read_bytes())["id"] == 1


def test_stdin_is_dev_null() -> None:
    done = subprocess.run(AGENT, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=True)
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr


async def test_stderr_in_the_same_pipe_stays_blocking() -> None:
    process = await asyncio.create_subprocess_exec(
        *AGENT, stdin=-1, stdout=-1, stderr=asyncio.subprocess.STDOUT
    )
    assert process.stdin is not None
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"_print"}\n')
    done, _ = await asyncio.wait(
        [asyncio.create_task(process.wait())], timeout=0.5
    )  # it prints; nobody reads
    assert not done
    process.stdin.close()
    output, _ = await asyncio.wait_for(process.communicate(), 20)
    assert output.count(b"x") >= 1_000_000
    assert b'"printed":true' in output


async def test_threads_carry_bytes_when_the_loop_cannot_watch() -> None:
    read_end, write_end = os.pipe()
    reader, writer = ThreadReader(read_end), ThreadWriter(write_end)
    data = os.urandom(3 * HIGH_WATER)
    writer.write(data)
    draining = asyncio.create_task(writer.drain())
    got = b""
    while len(got) < len(data):
        got += await reader.read(10_000)
    await draining
    assert got == data
    writer.close()
    await writer.wait_closed()
    assert await reader.read(10) == b""
    assert await reader.read(10) == b""


async def test_drain_waits_and_fails_when_the_reader_is_gone() -> None:
    read_end, write_end = os.pipe()
    writer = ThreadWriter(write_end)
    writer.write(b"x" * (2 * HIGH_WATER))
    draining = asyncio.create_task(writer.drain())
    done, _ = await asyncio.wait([draining], timeout=0.1)
    assert not done
    os.close(read_end)
    try:
        await asyncio.wait_for(draining, 10)
    except BrokenPipeError:
        pass
    else:
        raise AssertionError("nobody was told")
    writer.close()
    await writer.wait_closed()
