"""Agents that lie, fork, are silent or deaf: what a user notices of it, which is next to nothing."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from pathlib import Path

import pytest

from sidekicks.events import PermissionRequested
from tests.core_parts import parts, scripted, text_of
from tests.processes import gone, is_running

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


async def test_answers_to_what_was_never_asked_and_wrong_types(caplog: pytest.LogCaptureFixture) -> None:
    """The answer is there; what was nonsense is in the logs, and asked nothing of the user."""
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        for _ in range(2):
            [answer] = await found.say(channel.id, "!text(one ) !lies !text(two)")
            assert (answer.stop_reason, answer.error) == ("end_turn", "")
            assert re.fullmatch("one .*two", text_of(answer), re.DOTALL)
        assert any(line.startswith("not the protocol: ") for line in found.agents.logs("ada"))
        assert not any(isinstance(event, PermissionRequested) for event in found.events.all)
        assert found.agent("ada").state == "ready"
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_a_prompt_answered_three_times() -> None:
    """The first answer counts; the others are not taken for those of the next prompt."""
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        for number in range(3):
            [answer] = await found.say(channel.id, f"!text(answer {number}) !answers-twice")
            assert (answer.stop_reason, answer.error) == ("end_turn", "")
            assert text_of(answer) == f"answer {number}"


async def test_a_silent_agent_hears_a_stop() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "!silent")
        await found.answering()
        async with asyncio.timeout(5):
            await found.channels.cancel(channel.id)
        assert (await found.channels.conversation(channel.id)).messages[-1].stop_reason == "cancelled"
        assert found.agent("ada").state == "ready"


async def test_one_deaf_to_everything_gives_the_channel_back_and_is_ended(tmp_path: Path) -> None:
    pidfile = tmp_path / "pid"
    agent = scripted("ada", "ignore-eof", "ignore-term", f"pidfile={pidfile}")
    async with parts(agent) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "!deaf(hm)")
        await found.spoken("hm")
        deaf = int(pidfile.read_text())
        async with asyncio.timeout(5):
            await found.channels.cancel(channel.id)
        answer = (await found.channels.conversation(channel.id)).messages[-1]
        assert (answer.stop_reason, text_of(answer)) == ("cancelled", "hm")
        await gone(deaf)
        [answer] = await found.say(channel.id, "!text(a new one)")
        assert text_of(answer) == "a new one"


@pytest.mark.parametrize("end", ["stop", "crash", "close"])
async def test_what_a_forking_agent_started_ends_with_it(end: str, tmp_path: Path) -> None:
    """Eight children that ignore SIGTERM."""
    async with parts(scripted("ada", f"pidfile={tmp_path / 'pid'}")) as found:
        channel = await found.channels.direct("ada")
        [answer] = await found.say(channel.id, "!forks(8)")
        children = [int(pid) for pid in text_of(answer).split()[1:]]
        assert len(children) == 8
        assert all(map(is_running, children))
        if end == "stop":
            await found.agents.stop("ada")
            assert not any(map(is_running, children))
        elif end == "crash":
            [answer] = await found.say(channel.id, "!kill")
            assert "SIGKILL" in answer.error
            await asyncio.gather(*map(gone, children))
    assert not any(map(is_running, children))
