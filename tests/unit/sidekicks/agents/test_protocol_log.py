"""The file with everything that is said with an agent."""

from __future__ import annotations

import asyncio
import json
import logging
import stat
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sidekicks.acp import protocol_log
from sidekicks.acp.protocol_log import MAX_FILE, MAX_MESSAGE, ProtocolLog
from sidekicks.acp.secrets import Masker
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.service import ChannelService
from sidekicks.history.memory import MemoryHistory
from sidekicks.models import AgentDefinition, Limits
from tests.core_parts import QUICK, Parts, scripted, text_of

SECRET = 'se"cr\\et-v4lue'


@asynccontextmanager
async def logged(folder: Path, *definitions: AgentDefinition) -> AsyncIterator[Parts]:
    bus, history = Bus(), MemoryHistory()
    agents = AgentService(
        bus, lambda one: [one.command, *one.args], patience=QUICK, protocol_folder=folder / "protocol"
    )
    agents.apply(definitions, Limits())
    channels = ChannelService(bus, agents, history, cancel_seconds=0.5)
    await channels.load()
    try:
        yield Parts(bus, history, agents, channels)
    finally:
        await channels.close()
        await agents.close()


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


async def test_everything_that_is_said_is_there_in_order_without_secrets(tmp_path: Path) -> None:
    ada = scripted(
        "ada", "banner", cwd=str(tmp_path), protocol_log=True, env={"ADA_KEY": SECRET, "DEBUG": "1"}
    )
    async with logged(tmp_path, ada) as found:
        path = found.agents.protocol_log("ada")
        assert path == tmp_path / "protocol" / "ada.jsonl"
        channel = await found.channels.direct("ada")
        [*_, answer] = await found.say(channel.id, "!env(ADA_KEY) !stderr(1) !env(DEBUG)")
        assert text_of(answer) == "[ADA_KEY]1", "what is kept has no secret either"
    lines = lines_of(path)
    assert SECRET not in path.read_text()
    assert json.dumps(SECRET)[1:-1] not in path.read_text()
    assert "[ADA_KEY]" in path.read_text()
    assert lines[0]["direction"] == "out"
    assert lines[0]["message"]["method"] == "initialize"
    assert {"direction": "in", "text": "Welcome to the agent!"}.items() <= lines[1].items()
    methods = [line["message"].get("method", "answer") for line in lines if "message" in line]
    assert methods[1:4] == ["answer", "session/new", "answer"]
    assert datetime.fromisoformat(lines[0]["time"]) <= datetime.fromisoformat(lines[-1]["time"])
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_it_is_off_unless_the_definition_says_so_and_a_restart_applies_a_change(tmp_path: Path) -> None:
    off, on = scripted("ada"), scripted("ada", protocol_log=True)
    path = tmp_path / "protocol" / "ada.jsonl"
    async with logged(tmp_path, off) as found:
        assert found.agents.protocol_log("ada") is None
        await found.agents.start("ada")
        found.agents.apply([on], Limits())
        assert found.agent("ada").outdated
        assert found.agents.protocol_log("ada") is None
        await found.agents.restart("ada")
        assert not found.agent("ada").outdated
        assert found.agents.protocol_log("ada") == path
        found.agents.apply([off], Limits())
        await found.agents.restart("ada")
        assert found.agents.protocol_log("ada") is None
        size = path.stat().st_size
        assert size
        await found.agents.restart("ada")
        assert path.stat().st_size == size


async def test_a_disk_that_takes_nothing_is_said_once_and_fails_nothing(tmp_path: Path) -> None:
    (tmp_path / "protocol").write_text("a file where the folder should be")
    async with logged(tmp_path, scripted("ada", protocol_log=True)) as found:
        channel = await found.channels.direct("ada")
        for _ in range(3):
            [*_, answer] = await found.say(channel.id, "!text(fine)")
            assert text_of(answer) == "fine"
        told = [line for line in found.agents.logs("ada") if "protocol log" in line]
        assert len(told) == 1
        assert "can't be written" in told[0]


async def test_secrets_are_in_neither_the_logs_nor_a_reason(tmp_path: Path) -> None:
    ada = scripted("ada", env={"ADA_KEY": "hidden-v4lue"}, cwd=str(tmp_path))
    async with logged(tmp_path, ada) as found:
        channel = await found.channels.direct("ada")
        [*_, answer] = await found.say(
            channel.id, "!stderr(my key is hidden-v4lue) !error(-32603, bad hidden-v4lue)"
        )
        assert answer.error == "bad [ADA_KEY]"
        [*_, answer] = await found.say(channel.id, "!die(3)")
        assert "my key is [ADA_KEY]" in answer.error
        assert "hidden-v4lue" not in "".join(
            (*found.agents.logs("ada"), answer.error, found.agent("ada").error)
        )


def new_log(path: Path, told: Callable[[str], None] = print) -> ProtocolLog:
    return ProtocolLog(path, Masker([("KEY", SECRET)]), now=lambda: datetime.now(UTC), on_trouble=told)


async def test_the_file_is_bounded(tmp_path: Path) -> None:
    log = new_log(tmp_path / "ada.jsonl")
    line = json.dumps({"method": "session/update", "params": "x" * 200_000}).encode()
    for _ in range(3 * MAX_FILE // len(line)):
        log("in", line)
        while log._size > 1_000_000:  # noqa: ASYNC110 - a thread takes it
            await asyncio.sleep(0.001)
    await log.close()
    sizes = {file.name: file.stat().st_size for file in tmp_path.iterdir()}
    assert sorted(sizes) == ["ada.1.jsonl", "ada.jsonl"]
    assert max(sizes.values()) <= MAX_FILE
    assert all(line["direction"] == "in" for file in sizes for line in lines_of(tmp_path / file))


async def test_a_very_long_message_is_named_only(tmp_path: Path) -> None:
    log = new_log(tmp_path / "ada.jsonl")
    log("in", b'{"method":"session/update","params":"' + SECRET.encode() + b"x" * MAX_MESSAGE)
    await log.close()
    [line] = lines_of(tmp_path / "ada.jsonl")
    assert (line["method"], line["bytes"]) == ("session/update", MAX_MESSAGE + 37 + len(SECRET))


@pytest.mark.parametrize(
    "line",
    [b"42", b'"text"', b"\xff\xfe", b'{"a":"\\ud800"}', b"[" * 5_000, b'{"a":1e999}', b'{"n":NaN}', b""],
)
async def test_any_line_can_be_written(tmp_path: Path, line: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        log = new_log(tmp_path / "ada.jsonl")
        log("in", line)
        log("out", b'{"after":1}')
        await log.close()
    lines = lines_of(tmp_path / "ada.jsonl")
    assert len(lines) == 2
    assert lines[1]["message"] == {"after": 1}
    assert not caplog.records


async def test_a_slow_disk_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol_log, "MAX_WAITING", 10_000)
    free = threading.Event()
    log = ProtocolLog(
        tmp_path / "ada.jsonl", slow_masker(free), now=lambda: datetime.now(UTC), on_trouble=print
    )
    loop = asyncio.get_running_loop()
    before = loop.time()
    for number in range(1_000):
        log("in", b'{"id":%d}' % number)
    assert loop.time() - before < 0.5
    free.set()
    await log.close()
    lines = lines_of(tmp_path / "ada.jsonl")
    assert lines[-1]["leftOut"] > 900
    assert sum(line.get("leftOut", 1) for line in lines) == 1_000


def slow_masker(free: threading.Event) -> Masker:
    class Slow(Masker):
        def message(self, value: object) -> object:
            free.wait()
            return super().message(value)

    return Slow([])
