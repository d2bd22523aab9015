"""What real agents do, on the side of their processes; the numbers are those of the list of quirks."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.events import AgentLog, MessageDelta
from sidekicks.models import ToolPart
from tests.agents import Clock, Listener, Setting, pid_in, prompt
from tests.core_parts import parts, scripted, text_of
from tests.processes import is_running

needs_signals = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


async def test_quirk_3_an_update_of_a_tool_call_replaces_its_content() -> None:
    """Its whole output so far comes with every update: shown once, and told in far less than it sent."""
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        [answer] = await found.say(channel.id, "!growing(400)")
        [tool] = answer.parts
        assert isinstance(tool, ToolPart)
        assert (tool.output, tool.status) == ("grown", "completed")
        told = [
            event.part.output
            for event in found.events.all
            if isinstance(event, MessageDelta) and isinstance(event.part, ToolPart)
        ]
        assert all(output.count("line 0") <= 1 for output in told)


async def test_quirk_3_output_of_any_size_is_cut() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        [answer] = await found.say(channel.id, "!big(8000000) !text(still here)")
        tool, *_ = answer.parts
        assert isinstance(tool, ToolPart)
        assert len(tool.output) < 1_000_000
        assert tool.output.endswith("last")
        assert text_of(answer) == "still here"


async def test_quirk_10_what_is_no_message_is_logged_and_the_agent_goes_on(setting: Setting) -> None:
    setting.apply(scripted("ada", "banner"))
    listener = Listener()
    async with setting.service.use("ada") as client:
        assert await prompt(client, "!garbage !text(Zoë) !garbage", listener) == "end_turn"
    assert listener.text == "Zoë"
    logs = setting.service.logs("ada")
    assert logs[:4] == (
        *("not the protocol: Welcome to the agent!", "not the protocol: hello"),
        *("not the protocol: 42", 'not the protocol: "text"'),
    )
    assert [event.line for event in setting.recorder.of(AgentLog)] == list(logs)
    assert setting.status("ada").state == "ready"


@needs_signals
async def test_quirk_11_the_end_of_stdin_is_ignored_and_children_outlive_the_agent(
    setting: Setting, tmp_path: Path
) -> None:
    setting.apply(
        scripted("ada", "ignore-eof", "child", f"pidfile={tmp_path / 'ada'}"),
        scripted("bob", "child", f"pidfile={tmp_path / 'bob'}"),
    )
    names = ("ada", "bob")
    await asyncio.gather(*(setting.service.start(name) for name in names))
    children = [int(setting.service.logs(name)[0]) for name in names]
    assert all(map(is_running, children))
    await asyncio.gather(*(setting.service.stop(name) for name in names))
    assert not any(is_running(pid) for pid in (*children, *(pid_in(tmp_path / name) for name in names)))


async def test_quirk_12_a_slow_start_shows_its_time_and_its_last_line_and_can_be_given_longer(
    setting: Setting, clock: Clock, tmp_path: Path
) -> None:
    slow = ("stderr=npx: downloading", f"answers-when={tmp_path / 'gate'}")
    setting.apply(scripted("ada", *slow, start_timeout=1.5))
    starting = asyncio.create_task(setting.service.start("ada"))
    line = await setting.recorder.until(AgentLog)
    begun = clock.time_of_day()
    clock.now += 40
    shown = setting.status("ada")
    assert (shown.state, shown.since, line.line) == ("starting", begun, "npx: downloading")
    with pytest.raises(AgentUnavailableError) as raised:
        await starting
    assert str(raised.value).splitlines() == [
        "it did not answer within 1.5 s (`startTimeout` in the settings gives it longer)",
        "npx: downloading",
    ]
    setting.apply(scripted("ada", *slow, start_timeout=60))
    starting = asyncio.create_task(setting.service.start("ada"))
    await setting.recorder.until(AgentLog, since=len(setting.recorder.events))
    (tmp_path / "gate").touch()
    await starting
    assert setting.status("ada").state == "ready"
