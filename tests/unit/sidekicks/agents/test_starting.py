"""Starting an agent: what the user sees, and every way in which it can fail."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.process import Patience
from sidekicks.events import AgentLog
from sidekicks.models import AgentStatus
from tests.agents import Clock, Listener, Setting, pid_in, prompt, scripted
from tests.processes import gone, is_running


async def test_starts_is_used_and_stopped(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", f"pidfile={tmp_path / 'pid'}"))
    assert setting.status("ada").state == "stopped"
    await setting.service.start("ada")
    pid = pid_in(tmp_path / "pid")
    assert is_running(pid)
    listener = Listener()
    async with setting.service.use("ada") as client:
        assert setting.status("ada").state == "busy"
        assert await prompt(client, "hello", listener) == "end_turn"
    assert listener.text == "echo: hello"
    await setting.service.stop("ada")
    assert not is_running(pid)
    assert setting.states("ada") == ["starting", "ready", "busy", "ready", "stopped"]


async def test_the_list_is_in_the_order_of_the_configuration(setting: Setting) -> None:
    setting.apply(scripted("zoe", icon="Z", description="last"), scripted("ada"))
    assert [status.name for status in setting.service.list()] == ["zoe", "ada"]
    assert setting.service.list()[0] == AgentStatus(
        name="zoe", title="Zoe", icon="Z", description="last", state="stopped"
    )


async def test_starting_twice_starts_once(setting: Setting) -> None:
    setting.apply(scripted("ada", "stderr=hello"))
    await asyncio.gather(*(setting.service.start("ada") for _ in range(3)))
    await setting.service.start("ada")
    assert setting.states("ada") == ["starting", "ready"]


SLOW_TO_KILL = Patience(end_of_input=1.5, descendants=0.2, signal=0.3, last_words=0.1)
needs_signals = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

BAD_STARTS = {
    "no program": (scripted("ada", command="missing"), "the program missing was not found"),
    "no file": (scripted("ada", command="/no/such/program"), "/no/such/program was not found"),
    "no executable": (scripted("ada", command=str(Path(__file__)), args=()), "may not be run"),
    "no folder": (scripted("ada", cwd="/no/such/folder"), "its folder /no/such/folder does not exist"),
    "exit 3": (
        scripted("ada", "exit=3", "stderr=no key is set"),
        "it ended with exit code 3 before it answered\nno key is set",
    ),
    "exit 0": (scripted("ada", "exit=0"), "it ended by itself (exit code 0) before it answered"),
    "protocol": (scripted("ada", "protocol=2"), "it speaks version 2 of the Agent Client Protocol"),
    "silent": (
        scripted("ada", "never-answers", "stderr=wait", start_timeout=1.5),
        "it did not answer within 1.5 s (`startTimeout` in the settings gives it longer)\nwait",
    ),
    "nul": (scripted("ada", args=("a\0b",)), "null"),
    "environment": (scripted("ada", env={"A=B": "c\0"}), "can't be started"),
}


@pytest.mark.parametrize("name", BAD_STARTS)
async def test_what_can_go_wrong_at_the_start(setting: Setting, name: str) -> None:
    definition, says = BAD_STARTS[name]
    setting.apply(definition)
    with pytest.raises(AgentUnavailableError) as raised:
        await setting.service.start("ada")
    assert says in str(raised.value)
    assert setting.status("ada").state == "error"
    assert setting.status("ada").error == str(raised.value)
    assert setting.states("ada") == ["starting", "error"]


async def test_a_mended_agent_starts_after_an_error(setting: Setting) -> None:
    setting.apply(scripted("ada", "exit=3"))
    with pytest.raises(AgentUnavailableError):
        await setting.service.start("ada")
    setting.apply(scripted("ada"))
    assert not setting.status("ada").outdated
    await setting.service.start("ada")
    assert setting.status("ada").error == ""
    assert setting.states("ada") == ["starting", "error", "starting", "ready"]


async def test_text_before_the_protocol_is_logged(setting: Setting) -> None:
    setting.apply(scripted("ada", "banner"))
    await setting.service.start("ada")
    assert setting.service.logs("ada") == ("not the protocol: Welcome to the agent!",)


async def test_an_unknown_agent(setting: Setting) -> None:
    for call in (setting.service.start, setting.service.stop, setting.service.restart):
        with pytest.raises(AgentUnavailableError, match="the configuration has no agent named bob"):
            await call("bob")
    with pytest.raises(AgentUnavailableError, match="bob"):
        setting.service.logs("bob")


async def test_the_environment_and_the_folder(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", env={"GREETING": "hi"}, cwd=str(tmp_path)))
    listener = Listener()
    async with setting.service.use("ada") as client:
        await prompt(client, "!env(GREETING)", listener)
    assert listener.text == "hi"


# -- what is seen meanwhile --------------------------------------------------------------------------


async def test_since_when_it_is_in_its_state(setting: Setting, clock: Clock, tmp_path: Path) -> None:
    """A window shows for how long an agent has been starting."""
    gate = tmp_path / "gate"
    setting.apply(scripted("ada", f"answers-when={gate}"))
    assert setting.status("ada").since is None  # it never ran
    starting = asyncio.create_task(setting.service.start("ada"))
    await setting.until("ada", "starting")
    begun = clock.time_of_day()
    clock.now += 12
    assert setting.status("ada").since == begun
    setting.apply(scripted("ada", f"answers-when={gate}", title="Countess"))
    assert setting.status("ada").since == begun
    gate.touch()
    await starting
    assert setting.status("ada").since == clock.time_of_day()
    clock.now += 1
    await setting.service.stop("ada")
    assert setting.status("ada").since == clock.time_of_day()


async def test_the_last_line_of_stderr_is_told_while_it_starts(setting: Setting) -> None:
    setting.apply(scripted("ada", "never-answers", "stderr=downloading 3 of 240"))
    starting = asyncio.create_task(setting.service.start("ada"))
    line = await setting.recorder.until(AgentLog)
    assert (line.agent, line.line) == ("ada", "downloading 3 of 240")
    assert setting.status("ada").state == "starting"
    assert setting.service.logs("ada")[-1] == "downloading 3 of 240"
    await setting.service.stop("ada")
    with pytest.raises(AgentUnavailableError):
        await starting


async def test_each_agent_has_its_own_time_for_a_start(setting: Setting) -> None:
    setting.apply(
        scripted("ada", "slow-start=0.8", start_timeout=0.2),
        scripted("bob", "slow-start=0.8", start_timeout=60),
    )
    results = await asyncio.gather(
        setting.service.start("ada"), setting.service.start("bob"), return_exceptions=True
    )
    assert str(results[0]).startswith("it did not answer within 0.2 s")
    assert results[1] is None


async def test_a_late_start_is_said_to_have_failed_before_all_of_it_is_gone(clock: Clock) -> None:
    setting = Setting(clock, SLOW_TO_KILL)
    setting.apply(scripted("ada", "never-answers", "ignore-eof", "ignore-term", start_timeout=0.5))
    loop = asyncio.get_running_loop()
    before = loop.time()
    with pytest.raises(AgentUnavailableError):
        await setting.service.start("ada")
    assert loop.time() - before < 0.5 + SLOW_TO_KILL.end_of_input
    await setting.service.close()
    assert setting.states("ada") == ["starting", "error"]


HANDSHAKES = {
    "nothing": "{}",
    "a text": '"hello"',
    "a list": "[1]",
    "version 0": '{"protocolVersion": 0}',
    "version as a date": '{"protocolVersion": "2024-11-05"}',
}


@pytest.mark.parametrize("answer", HANDSHAKES.values(), ids=HANDSHAKES)
async def test_a_handshake_that_is_none(setting: Setting, answer: str) -> None:
    setting.apply(scripted("ada", f"initialize={answer}"))
    with pytest.raises(AgentUnavailableError) as raised:
        await setting.service.start("ada")
    assert len(str(raised.value)) > 20
    assert setting.status("ada").state == "error"
    setting.apply(scripted("ada"))
    await setting.service.start("ada")


@needs_signals
async def test_its_output_closed_while_it_starts(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", "stdout-closed", "ignore-eof", f"pidfile={tmp_path / 'pid'}"))
    with pytest.raises(AgentUnavailableError, match="closed"):
        await setting.service.start("ada")
    await gone(pid_in(tmp_path / "pid"))
