"""Sidekicks with agents that nobody here wrote, and whatever model is configured for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sidekicks.core import Core
from tests.interop.conftest import Open, Step
from tests.interop.exchange import PATIENCE, exchange, text_of

pytestmark = pytest.mark.timeout(3 * PATIENCE)

LONG = os.environ.get(
    "SIDEKICKS_INTEROP_LONG", "Count from 1 to 200, every number on a line of its own. Use no tool."
)
TOOL = os.environ.get(
    "SIDEKICKS_INTEROP_TOOL",
    "Run the shell command `echo sidekicks > interop.txt` with your tool, once, then say what it printed.",
)


async def channel_of(core: Core, folder: Path, *members: str) -> str:
    """A new channel that works in `folder`; its id."""
    channel = await core.channels.create("interop", cwd=str(folder))
    for member in members:
        await core.channels.add_member(channel.id, member)
    return channel.id


def prompts(folder: Path, agent: str) -> str:
    """What an agent was told, when its protocol log is on."""
    logs = [log.read_text(encoding="utf-8") for log in folder.glob(f"*/{agent}.jsonl")]
    return "\n".join(line for log in logs for line in log.splitlines() if "session/prompt" in line)


async def test_its_answer_streams(agent: str, open_agents: Open, step: Step, tmp_path: Path) -> None:
    async with open_agents() as core:
        channel = await channel_of(core, tmp_path, agent)
        with step(agent, "start, streamed answer") as remarks:
            said = await exchange(core, channel, LONG)
            [answer] = said.answers
            assert (answer.stop_reason, answer.error) == ("end_turn", "")
            assert len(said.words) > 3
            assert said.words[-1] > said.words[0]
            remarks.append(f"{len(said.words)} pieces in {said.words[-1] - said.words[0]:.1f} s")


async def test_it_uses_a_tool_when_it_may(agent: str, open_agents: Open, step: Step, tmp_path: Path) -> None:
    async with open_agents() as core:
        channel = await channel_of(core, tmp_path, agent)
        with step(agent, "tool, allowed") as remarks:
            said = await exchange(core, channel, TOOL)
            assert [answer.stop_reason for answer in said.answers] == ["end_turn"]
            assert any(tool.status == "completed" for tool in said.tools), said.tools
            kinds = [option.kind for request in said.asked[:1] for option in request.options]
            remarks.append(f"asked: {', '.join(kinds)}" if kinds else "did not ask")
        if said.asked:
            with step(agent, "tool, rejected") as remarks:
                said = await exchange(core, channel, TOOL, permission="reject_once")
                [answer] = said.answers
                assert answer.error == ""
                assert all(tool.status == "failed" for tool in said.tools if said.asked), said.tools
                remarks.append(f"ended: {answer.stop_reason}")


async def test_it_can_be_stopped(agent: str, open_agents: Open, step: Step, tmp_path: Path) -> None:
    async with open_agents() as core:
        channel = await channel_of(core, tmp_path, agent)
        with step(agent, "cancel, next answer") as remarks:
            said = await exchange(core, channel, LONG, stop=True)
            [answer] = said.answers
            assert (answer.stop_reason, answer.error) == ("cancelled", "")
            remarks.append(f"free after {said.stopped_in:.2f} s")
            [answer] = (await exchange(core, channel, "Say hello.")).answers
            assert answer.stop_reason == "end_turn"


async def test_it_goes_on_after_a_restart(agent: str, open_agents: Open, step: Step, tmp_path: Path) -> None:
    async with open_agents() as core:
        channel = await channel_of(core, tmp_path, agent)
        await exchange(core, channel, "Remember the word heron.")
        with step(agent, "restart of the agent"):
            await core.agents.restart(agent)
            [answer] = (await exchange(core, channel, "Which word?")).answers
            assert answer.stop_reason == "end_turn"
    with step(agent, "restart of Sidekicks") as remarks:
        async with open_agents() as core:
            said = await exchange(core, channel, "Which word was it?")
            [answer] = said.answers
            assert answer.stop_reason == "end_turn"
            lost = any(note.code == "session-lost" for note in said.notes)
            remarks.append("given the channel's past" if lost else "went on with its session")


async def test_two_compare_their_plans(
    pair: tuple[str, str], open_agents: Open, step: Step, tmp_path: Path
) -> None:
    first, second = pair
    async with open_agents() as core:
        channel = await channel_of(core, tmp_path, first, second)
        with step(f"{first}+{second}", "comparison") as remarks:
            said = await exchange(core, channel, f"@{first} @{second} compare your plans")
            assert [(one.agent, one.stop_reason) for one in said.answers] == [
                (first, "end_turn"),
                (second, "end_turn"),
            ]
            assert all(text_of(answer).strip() for answer in said.answers)
            remarks.append("two answers, in order")
            words = text_of(said.answers[0]).strip()[:40]
            if told := prompts(tmp_path / "data" / "protocol", second):
                assert words in told
                remarks.append("the second was told the first's")
            [answer] = (await exchange(core, channel, f"@{first} and what did {second} say?")).answers
            assert (answer.agent, answer.stop_reason) == (first, "end_turn")
            words = text_of(said.answers[1]).strip()[:40]
            if told := prompts(tmp_path / "data" / "protocol", first):
                assert words in told
                remarks.append("and the first the second's")
