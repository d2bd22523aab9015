"""Agents that run, fail, crash and are stopped: real processes, short patience."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sidekicks.acp.changes import Change, PermissionAsked, TextAdded
from sidekicks.acp.client import AgentClient
from sidekicks.acp.errors import AgentFailureError, AgentGoneError
from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.service import AgentService
from sidekicks.agents.stderr import LINES, TOLD
from sidekicks.bus import Bus
from sidekicks.events import AgentLog, AgentStateChanged
from sidekicks.models import AgentDefinition, AgentStatus, Limits
from tests.agents import QUICK, command_of, scripted
from tests.events import Recorder
from tests.processes import gone, is_running

needs_signals = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


class Listener:
    """Keeps what an agent says."""

    def __init__(self) -> None:
        self.text = ""
        self.said = asyncio.Event()

    def changed(self, change: Change) -> None:
        if isinstance(change, TextAdded):
            self.text += change.text
            self.said.set()

    async def asked(self, question: PermissionAsked) -> str | None:
        del question
        return None


class Setting:
    """A service with agents, and what it tells."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.bus = Bus()
        self.recorder = Recorder(self.bus)
        self.service = AgentService(self.bus, command_of, clock=clock, patience=QUICK)

    def apply(self, *definitions: AgentDefinition, limit: int = 4, idle: float = 0) -> None:
        limits = Limits(max_running_agents=limit, stop_idle_agents_after=idle)
        self.service.apply(definitions, limits)

    def status(self, name: str) -> AgentStatus:
        return next(status for status in self.service.list() if status.name == name)

    def states(self, name: str) -> list[str]:
        """The states that were told, each once in a row."""
        told = [event.state for event in self.recorder.of(AgentStateChanged) if event.agent == name]
        return [state for at, state in enumerate(told) if at == 0 or told[at - 1] != state]

    async def until(self, name: str, state: str) -> AgentStateChanged:
        return await self.recorder.until(AgentStateChanged, lambda e: (e.agent, e.state) == (name, state))


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def setting(clock: Clock) -> AsyncIterator[Setting]:
    setting = Setting(clock)
    yield setting
    await setting.service.close()


@asynccontextmanager
async def using(setting: Setting, name: str) -> AsyncIterator[AgentClient]:
    async with setting.service.use(name) as client:
        yield client


async def prompt(client: AgentClient, text: str, listener: Listener | None = None) -> str:
    session = await client.new_session(str(Path.home()), (), listener or Listener())
    return await session.prompt(text)


def pid_in(path: Path) -> int:
    return int(path.read_text())


# -- starting ----------------------------------------------------------------------------------------


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
        scripted("ada", "never-answers", "stderr=wait", start_timeout=0.6),
        "it did not answer within 0.6 s (`startTimeout` in the settings gives it longer)\nwait",
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


# -- crashes -----------------------------------------------------------------------------------------


async def test_an_idle_agent_dies(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", "stderr=it was me", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    os.kill(pid_in(tmp_path / "pid"), signal.SIGTERM)
    event = await setting.until("ada", "error")
    assert event.error == "it was ended by SIGTERM\nit was me"
    assert setting.states("ada") == ["starting", "ready", "error"]


@pytest.mark.parametrize(
    ("directive", "says"),
    [
        ("!die(3)", "it ended with exit code 3"),
        ("!kill", "it was ended by SIGKILL (perhaps the machine ran out of memory)"),
        ("!close-stdout", "it closed its output"),
        ("!child !kill", "it was ended by SIGKILL"),
    ],
)
@needs_signals
async def test_a_busy_agent_dies(setting: Setting, directive: str, says: str) -> None:
    setting.apply(scripted("ada"))
    async with setting.service.use("ada") as client:
        with pytest.raises(AgentGoneError):
            await prompt(client, f"!stderr(oh no) {directive}")
        reason = await setting.service.why_gone("ada")
    assert reason.splitlines()[0].startswith(says)
    event = await setting.until("ada", "error")
    assert event.error.splitlines()[0].startswith(says)
    assert event.error.splitlines()[1:] == ["oh no"]
    assert setting.states("ada") == ["starting", "ready", "busy", "error"]
    await setting.service.start("ada")  # by hand, never by itself
    assert setting.status("ada").state == "ready"


@needs_signals
async def test_a_child_that_holds_the_output_does_not_hide_the_death(
    setting: Setting, tmp_path: Path
) -> None:
    holder = (
        "import os, subprocess, sys, runpy;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], stdin=-3);"
        f"open({str(tmp_path / 'child')!r}, 'w').write(str(child.pid));"
        "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    plain = scripted("ada")
    setting.apply(scripted("ada", args=("-c", holder, *plain.args)))
    async with setting.service.use("ada") as client:
        with pytest.raises(AgentGoneError):
            await prompt(client, "!kill")
    await setting.until("ada", "error")
    await gone(pid_in(tmp_path / "child"))


async def test_a_stop_in_the_middle_of_a_crash(setting: Setting) -> None:
    """The process is gone, its end is still being looked at."""
    setting.apply(scripted("ada"))
    async with setting.service.use("ada") as client:
        with pytest.raises(AgentGoneError):
            await prompt(client, "!close-stdout")
        await asyncio.gather(setting.service.stop("ada"), setting.service.stop("ada"))
    assert setting.states("ada") == ["starting", "ready", "busy", "stopped"]


async def test_a_stop_while_a_crash_is_cleaned_up(setting: Setting) -> None:
    setting.apply(scripted("ada", "ignore-eof"))
    async with setting.service.use("ada") as client:
        with pytest.raises(AgentGoneError):
            await prompt(client, "!close-stdout")
        await setting.service.why_gone("ada")
        await setting.service.stop("ada")
    assert setting.states("ada")[-1] in ("error", "stopped")
    await setting.service.start("ada")
    assert setting.status("ada").state == "ready"


# -- stopping ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [("ignore-eof",), ("ignore-eof", "ignore-term")])
@needs_signals
async def test_the_deaf_are_ended(setting: Setting, tmp_path: Path, options: tuple[str, ...]) -> None:
    setting.apply(scripted("ada", *options, f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    await setting.service.stop("ada")
    assert not is_running(pid_in(tmp_path / "pid"))
    assert setting.status("ada").state == "stopped"


@needs_signals
async def test_what_it_started_ends_with_it(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    listener = Listener()
    async with setting.service.use("ada") as client:
        await prompt(client, "!child", listener)
    child = int(listener.text.split()[1])
    assert is_running(child)
    await setting.service.stop("ada")
    assert not is_running(child)


async def test_a_busy_agent_is_stopped(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    listener = Listener()
    async with setting.service.use("ada") as client:
        prompting = asyncio.create_task(prompt(client, "!text(well) !silent", listener))
        await listener.said.wait()
        await setting.service.stop("ada")
        with pytest.raises(AgentGoneError):
            await prompting
        assert await setting.service.why_gone("ada") == "it was stopped"
    assert setting.states("ada") == ["starting", "ready", "busy", "stopped"]


async def test_a_start_is_broken_off_by_a_stop(setting: Setting) -> None:
    setting.apply(scripted("ada", "never-answers", start_timeout=60))
    starting = asyncio.create_task(setting.service.start("ada"))
    await setting.until("ada", "starting")
    await setting.service.stop("ada")
    with pytest.raises(AgentUnavailableError, match="it was stopped while it started"):
        await starting
    assert setting.states("ada") == ["starting", "stopped"]
    assert setting.status("ada").error == ""


async def test_a_stop_right_after_a_start(setting: Setting) -> None:
    """The start has not even begun to spawn."""
    setting.apply(scripted("ada", "never-answers", start_timeout=60))
    results = await asyncio.gather(
        setting.service.start("ada"), setting.service.stop("ada"), return_exceptions=True
    )
    assert isinstance(results[0], AgentUnavailableError)
    assert setting.states("ada") == ["starting", "stopped"]


async def test_a_start_while_it_ends_waits_for_the_end(setting: Setting) -> None:
    setting.apply(scripted("ada", "ignore-eof"))
    await setting.service.start("ada")
    stopping = asyncio.create_task(setting.service.stop("ada"))
    await asyncio.sleep(0)
    await setting.service.start("ada")
    await stopping
    assert setting.states("ada") == ["starting", "ready", "stopped", "starting", "ready"]


async def test_stopping_what_does_not_run(setting: Setting) -> None:
    setting.apply(scripted("ada", "exit=1"))
    await setting.service.stop("ada")
    with pytest.raises(AgentUnavailableError):
        await setting.service.start("ada")
    await setting.service.stop("ada")
    assert setting.states("ada") == ["starting", "error"]


async def test_closing_breaks_off_a_start_and_refuses_others(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", "never-answers", f"pidfile={tmp_path / 'pid'}"), scripted("bob"))
    starting = asyncio.create_task(setting.service.start("ada"))
    await setting.until("ada", "starting")
    await setting.service.close()
    with pytest.raises(AgentUnavailableError):
        await starting
    with pytest.raises(AgentUnavailableError, match="closing"):
        await setting.service.start("bob")
    if (tmp_path / "pid").exists():
        assert not is_running(pid_in(tmp_path / "pid"))


async def test_a_restart(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    first = pid_in(tmp_path / "pid")
    await setting.service.restart("ada")
    assert pid_in(tmp_path / "pid") != first
    assert not is_running(first)
    assert setting.states("ada") == ["starting", "ready", "stopped", "starting", "ready"]
    setting.apply(scripted("bob"))
    await setting.service.restart("bob")
    assert setting.status("bob").state == "ready"


# -- the limits --------------------------------------------------------------------------------------


async def test_the_least_recently_used_makes_room(setting: Setting, clock: Clock) -> None:
    setting.apply(*(scripted(name) for name in ("ada", "bob", "cid")), limit=2)
    for name in ("ada", "bob", "ada"):
        clock.now += 1
        async with setting.service.use(name):
            pass
    await setting.service.start("cid")
    assert {status.name: status.state for status in setting.service.list()} == {
        "ada": "ready",
        "bob": "stopped",
        "cid": "ready",
    }


async def test_when_all_are_busy_a_start_is_refused(setting: Setting) -> None:
    setting.apply(*(scripted(name) for name in ("ada", "bob", "cid")), limit=2)
    async with setting.service.use("ada"), setting.service.use("bob"):
        with pytest.raises(AgentUnavailableError) as raised:
            await setting.service.start("cid")
        await setting.service.start("ada")  # it has its place
    assert str(raised.value) == "too many agents running: 2 agent(s) busy (ada, bob), the limit is 2"
    assert setting.status("cid").state == "stopped"
    await setting.service.start("cid")


async def test_many_starts_at_once_stay_within_the_limit(setting: Setting) -> None:
    names = [f"a{number}" for number in range(5)]
    setting.apply(*(scripted(name) for name in names), limit=2)
    most = 0

    def count(_: object) -> None:
        nonlocal most
        running = [status for status in setting.service.list() if status.state != "stopped"]
        most = max(most, len(running))

    setting.bus.listen(count)
    results = await asyncio.gather(*(setting.service.start(name) for name in names), return_exceptions=True)
    assert most == 2
    refused = [result for result in results if result is not None]
    assert all("the limit is 2" in str(error) for error in refused)


async def test_a_restart_does_not_jump_over_the_limit(setting: Setting) -> None:
    """While ada ends, bob takes the only place; ada's start has to make room like any other."""
    setting.apply(scripted("ada", "ignore-eof"), scripted("bob"), limit=1)
    await setting.service.start("ada")
    most = 0

    def count(_: object) -> None:
        nonlocal most
        most = max(most, sum(status.state != "stopped" for status in setting.service.list()))

    setting.bus.listen(count)
    await asyncio.gather(setting.service.restart("ada"), setting.service.start("bob"), return_exceptions=True)
    assert most == 1


async def test_who_is_about_to_use_an_agent_gets_it(setting: Setting) -> None:
    """The other start comes while ada has just become ready and nobody has begun to use it."""
    setting.apply(scripted("ada"), scripted("bob"), limit=1)

    async def use(name: str) -> str:
        async with setting.service.use(name) as client:
            return await prompt(client, "hi")

    results = await asyncio.gather(use("ada"), use("bob"), return_exceptions=True)
    assert results[0] == "end_turn"
    assert "the limit is 1" in str(results[1])


async def test_unused_agents_are_stopped(setting: Setting, clock: Clock) -> None:
    setting.apply(*(scripted(name) for name in ("ada", "bob", "cid")), idle=600)
    for name in ("ada", "bob", "cid"):
        await setting.service.start(name)
    clock.now += 599
    await setting.service.stop_idle()
    async with setting.service.use("bob"):
        clock.now += 1
        async with setting.service.use("cid"):
            pass
        await setting.service.stop_idle()
    assert [status.state for status in setting.service.list()] == ["stopped", "ready", "ready"]
    clock.now += 599
    await setting.service.stop_idle()
    assert [status.state for status in setting.service.list()] == ["stopped", "ready", "ready"]
    clock.now += 1
    await setting.service.stop_idle()
    assert [status.state for status in setting.service.list()] == ["stopped"] * 3


async def test_zero_means_never(setting: Setting, clock: Clock) -> None:
    setting.apply(scripted("ada"), idle=0)
    await setting.service.start("ada")
    clock.now += 1e9
    await setting.service.stop_idle()
    assert setting.status("ada").state == "ready"


# -- the configuration -------------------------------------------------------------------------------


async def test_a_changed_definition_is_outdated_until_a_restart(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    await setting.service.start("ada")
    setting.apply(scripted("ada", env={"A": "b"}))
    last = setting.recorder.of(AgentStateChanged)[-1]
    assert (last.state, last.outdated) == ("ready", True)
    setting.apply(scripted("ada"))
    assert not setting.status("ada").outdated
    setting.apply(scripted("ada", "banner"))
    await setting.service.restart("ada")
    assert not setting.status("ada").outdated


async def test_a_removed_agent_is_stopped_also_while_busy(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", f"pidfile={tmp_path / 'pid'}"))
    listener = Listener()
    async with setting.service.use("ada") as client:
        prompting = asyncio.create_task(prompt(client, "!text(well) !silent", listener))
        await listener.said.wait()
        setting.apply(scripted("bob"))
        with pytest.raises(AgentFailureError):
            await prompting
        assert await setting.service.why_gone("ada") == "it was removed from the configuration"
    await setting.until("ada", "stopped")
    assert not is_running(pid_in(tmp_path / "pid"))
    assert [status.name for status in setting.service.list()] == ["bob"]


async def test_closing_waits_for_the_removed(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", "ignore-eof", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    setting.apply()
    await setting.service.close()
    assert not is_running(pid_in(tmp_path / "pid"))


async def test_an_agent_that_comes_back_while_it_is_stopped(setting: Setting) -> None:
    setting.apply(scripted("ada", "ignore-eof"))
    await setting.service.start("ada")
    setting.apply()
    setting.apply(scripted("ada"))
    await setting.until("ada", "stopped")
    await setting.service.start("ada")
    assert setting.states("ada") == ["starting", "ready", "stopped", "starting", "ready"]


# -- floods ------------------------------------------------------------------------------------------


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
