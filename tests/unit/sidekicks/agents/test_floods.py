"""Agents that say too much."""

from __future__ import annotations

from sidekicks.agents.stderr import LINES, TOLD
from sidekicks.events import AgentLog
from tests.agents import Listener, Setting, prompt, scripted


async def test_a_flood_of_stderr_is_bounded(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    async with setting.service.use("ada") as client:
        assert await prompt(client, "!flood-stderr(4000000) !stderr(the end)") == "end_turn"
    await setting.service.stop("ada")
    assert len(setting.service.logs("ada")) == LINES
    assert setting.service.logs("ada")[-1] == "the end"
    assert len(setting.recorder.of(AgentLog)) <= TOLD


async def test_a_flood_of_garbage_on_stdout_is_bounded(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    async with setting.service.use("ada") as client:
        assert await prompt(client, " ".join(["!garbage"] * 300)) == "end_turn"
    assert len(setting.service.logs("ada")) == LINES
    assert len(setting.recorder.of(AgentLog)) <= TOLD


async def test_a_line_of_stdout_without_an_end(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    listener = Listener()
    async with setting.service.use("ada") as client:
        assert await prompt(client, "!flood-stdout(70000000) !text(still here)", listener) == "end_turn"
    assert listener.text == "still here"
    assert setting.service.logs("ada") == ("not the protocol: " + "o" * 200,)
