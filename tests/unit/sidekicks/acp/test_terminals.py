"""Commands that an agent lets its client run: what the user sees of them, and that they end."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from sidekicks.acp.terminals import MAX_ENDED, MAX_RUNNING
from sidekicks.channels.turns import PAUSE
from sidekicks.events import MessageDelta, MessageUpdated, to_json
from sidekicks.models import AgentDefinition, Message, ToolPart
from tests.core_parts import Parts, number_in, parts, scripted, text_of
from tests.processes import gone, is_running

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")

JSON = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")
STUBBORN = "trap '' TERM HUP; echo pid $$; while :; do sleep 0.1; done;"


class Shop:
    """One scripted agent that works in a folder."""

    def __init__(self, found: Parts, channel: str, folder: Path) -> None:
        self.found, self.channel, self.folder = found, channel, folder

    async def says(self, text: str) -> str:
        return text_of(await self.answers(text))

    async def answers(self, text: str) -> Message:
        return (await self.found.say(self.channel, text))[-1]

    async def tool(self, text: str) -> ToolPart:
        [tool] = [part for part in (await self.answers(text)).parts if isinstance(part, ToolPart)]
        return tool

    async def shows(self, word: str) -> ToolPart:
        """Waits until a tool call shows `word`."""
        event = await self.found.events.until(lambda event: word in output_of(event))
        assert isinstance(event, MessageDelta)
        assert isinstance(event.part, ToolPart)
        return event.part


def output_of(event: object) -> str:
    part = event.part if isinstance(event, MessageDelta) else None
    return part.output if isinstance(part, ToolPart) else ""


def here(folder: Path, *options: str, **fields: object) -> AgentDefinition:
    return scripted("ada", *options, cwd=str(folder), **fields)


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with parts(here(tmp_path)) as found:
        yield Shop(found, (await found.channels.direct("ada")).id, tmp_path)


async def test_a_command_runs_in_the_sessions_folder_and_its_output_stays_in_the_message(shop: Shop) -> None:
    tool = await shop.tool("!run(pwd)")
    assert (tool.output, tool.exit_code, tool.status) == (f"{shop.folder}\n", 0, "completed")


async def test_what_the_agent_gets(shop: Shop) -> None:
    answer = json.loads(await shop.says("!run(echo $GREETING; exit 3;)"))
    assert answer == {
        "output": "hello\n", "truncated": False, "exitStatus": {"exitCode": 3}, "waited": {"exitCode": 3}
    }  # fmt: skip


async def test_a_program_writes_as_for_a_person_but_cannot_ask_one(shop: Shop) -> None:
    looked = "[ -t 1 ] && echo a terminal; [ -t 0 ] || echo no input; cat; read x < /dev/tty || echo nobody;"
    tool = await shop.tool(f"!run({looked})")
    assert tool.output.startswith("a terminal\nno input\n")
    assert tool.output.endswith("nobody\n")


async def test_colours_are_left_out_and_a_progress_bar_is_one_line(shop: Shop) -> None:
    await shop.found.channels.send(
        shop.channel,
        r"!run(printf '\033[1;32mok\033[0m\n 1%%\r'; sleep .2; printf '20%%\r'; sleep .2; printf '99%%\n';)",
    )
    await shop.shows("20%")
    await shop.found.free(shop.channel)
    shown = [output_of(event) for event in shop.found.events.all if output_of(event)]
    assert shown[-1] == "ok\n99%\n"
    assert all(text.count("%") <= 1 for text in shown)


async def test_output_comes_while_the_command_runs(shop: Shop) -> None:
    await shop.found.channels.send(
        shop.channel, "!run(echo first; until [ -e go ]; do sleep 0.01; done; echo last;)"
    )
    assert (await shop.shows("first\n")).status == "in_progress"
    (shop.folder / "go").touch()
    assert (await shop.shows("last\n")).output == "first\nlast\n"
    await shop.found.free(shop.channel)


async def test_a_flood_is_cut_told_seldom_and_does_not_freeze_the_program(shop: Shop) -> None:
    loop = asyncio.get_running_loop()
    began, longest = loop.time(), 0.0
    answering = asyncio.create_task(
        shop.tool("!run(yes 'a line of forty characters, more or less' | head -n 100000;)")
    )
    while not answering.done():
        before = loop.time()
        await asyncio.sleep(0.005)
        longest = max(longest, loop.time() - before)
    tool = await answering
    deltas = [event for event in shop.found.events.all if output_of(event)]
    assert len(deltas) < (loop.time() - began) / PAUSE + 5
    assert 250_000 < len(tool.output) < 300_000
    assert "characters left out" in tool.output
    assert longest < 0.5


@pytest.mark.parametrize(
    ("limit", "output", "truncated"),
    [(4, "567\n", True), (100, "01234567\n", False), (0, "", True), (10**18, "01234567\n", False)],
)
async def test_of_the_output_the_end_is_kept(shop: Shop, limit: int, output: str, *, truncated: bool) -> None:
    answer = json.loads(await shop.says(f"!run-limited({limit}, echo 01234567)"))
    assert (answer["output"], answer["truncated"]) == (output, truncated)


async def test_a_command_in_another_folder(shop: Shop) -> None:
    (shop.folder / "sub").mkdir()
    (shop.folder / "out").symlink_to("/")
    assert (await shop.tool(f"!run-in({shop.folder}/sub, pwd)")).output == f"{shop.folder}/sub\n"
    for folder in ("/", str(shop.folder / "out"), f"{shop.folder}/..", f"{shop.folder}/sub/../../"):
        assert "outside of the session's folder" in await shop.says(f"!run-in({folder}, pwd)")
    assert "is not an absolute path" in await shop.says("!run-in(sub, pwd)")
    assert "does not exist" in await shop.says(f"!run-in({shop.folder}/none, pwd)")


async def test_what_cannot_be_run_is_said_in_a_sentence(shop: Shop) -> None:
    (shop.folder / "text").write_text("no program")
    (shop.folder / "text").chmod(0o755)
    assert await shop.says("!run(nonsuch --help)") == "the program 'nonsuch' was not found"
    assert await shop.says("!run(./nonsuch)") == "the program './nonsuch' was not found"
    assert await shop.says("!run(./text)") == "the file './text' is no program"
    assert "was not found" in await shop.says("!run('')")
    shell = await shop.tool("!run(nonsuch | cat; nonsuch;)")
    assert "not found" in shell.output
    assert shell.exit_code == 127


async def test_kill_ends_the_whole_group_and_the_output_can_still_be_read(shop: Shop) -> None:
    said = await shop.says(f"!start(sleep 600 & echo $!; {STUBBORN}) !show !wait(0.4) !end !exited !output")
    killed, exited, output = (json.loads(text) for text in JSON.findall(said))
    assert killed == {}
    assert exited == output["exitStatus"] == {"signal": "SIGKILL"}
    pids = [int(word) for word in output["output"].split() if word.isdigit()]
    assert len(pids) == 2
    assert not any(map(is_running, pids))
    assert "there is no terminal" in await shop.says("!release !output")


async def test_a_command_that_obeys_sigterm_is_not_killed(shop: Shop) -> None:
    said = await shop.says(
        "!start(trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.01; done;) !wait(0.3) !end !output"
    )
    assert '"exitCode": 7' in said
    assert "bye" in said


async def test_a_background_process_neither_delays_the_exit_nor_outlives_the_release(shop: Shop) -> None:
    began = asyncio.get_running_loop().time()
    tool = await shop.tool("!run(sleep 600 & echo $!;)")
    assert asyncio.get_running_loop().time() - began < 5
    await gone(number_in(tool.output))


async def test_a_terminal_of_another_session_is_not_there(shop: Shop) -> None:
    await shop.says("!start(sleep 600)")
    other = await shop.found.channels.create("other")
    await shop.found.channels.add_member(other.id, "ada")
    [*_, answer] = await shop.found.say(other.id, "!borrow !output")
    assert "there is no terminal terminal-1" in text_of(answer)


async def test_commands_at_once_are_limited_and_old_ends_are_forgotten(shop: Shop) -> None:
    said = await shop.says("!start(true) !exited " * (MAX_ENDED + 4) + "!output")
    assert said.count('{"exitCode": 0}') == MAX_ENDED + 5
    said = await shop.says("!start(sleep 600) " * (MAX_RUNNING + 1))
    assert said == f"{MAX_RUNNING} commands are running already; release a terminal first"


async def running(shop: Shop) -> int:
    """Starts a stubborn command that nobody waits for; its process id."""
    await shop.says(f"!start({STUBBORN}) !show")
    tool = await shop.shows("pid ")
    pid = number_in(tool.output)
    assert is_running(pid)
    return pid


async def test_it_ends_with_its_session(shop: Shop) -> None:
    pid = await running(shop)
    await shop.found.channels.delete(shop.channel)
    await gone(pid)


@pytest.mark.parametrize("end", ["stop", "crash"])
async def test_it_ends_with_its_agent(shop: Shop, end: str) -> None:
    pid = await running(shop)
    if end == "stop":
        await shop.found.agents.stop("ada")
        assert not is_running(pid)
    else:
        await shop.says("!die")
        await gone(pid)


def descriptors() -> int:
    return psutil.Process().num_fds()


async def test_it_ends_when_everything_is_closed(tmp_path: Path) -> None:
    async with parts(here(tmp_path)) as found:
        shop = Shop(found, (await found.channels.direct("ada")).id, tmp_path)
        pid = await running(shop)
        before = descriptors()
    assert not is_running(pid)
    assert descriptors() <= before
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_what_a_terminal_writes_after_the_turn_is_shown_and_kept_with_its_end(shop: Shop) -> None:
    answer = await shop.answers("!start(until [ -e go ]; do sleep 0.01; done; echo late; exit 4;) !show")
    (shop.folder / "go").touch()
    assert (await shop.shows("late\n")).output == "late\n"
    kept = await shop.found.events.until(
        lambda event: isinstance(event, MessageUpdated) and 'exitCode":4' in to_json(event)
    )
    assert isinstance(kept, MessageUpdated)
    assert kept.message.id == answer.id
    stored = await shop.found.history.message(answer.id)
    assert stored is not None
    assert [part.output for part in stored.parts if isinstance(part, ToolPart)] == ["late\n"]


async def test_a_terminal_shown_late_shows_all(shop: Shop) -> None:
    tool = await shop.tool(
        "!start(printf 'one\\n 10%%\\r'; until [ -e go ]; do sleep 0.01; done; printf ' 99%%\\n';)"
        " !touch(go) !exited !show"
    )
    assert (tool.output, tool.exit_code) == ("one\n 99%\n", 0)
