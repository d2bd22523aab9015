"""`sidekicks ask` as a real process: with scripted agents, and with the real mm and a scripted model."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from shlex import quote

import psutil
import pytest

from tests.agents import SCRIPT
from tests.e2e.conftest import Ran, mm_environment
from tests.processes import gone
from tests.scripted_model import ScriptedModel

ON_TERMINAL = (
    "import fcntl, os, sys, termios;"
    "os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)

needs_signals = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

# The reference's table: what each event carries, beside its name.
KEYS = {
    "config:changed": {"path", "valid", "problems"},
    "agent:state": {"agent", "state", "error", "outdated", "logins"},
    "agent:log": {"agent", "line"},
    "channels:changed": {"channels"},
    "message:updated": {"channel", "message"},
    "message:delta": {"channel", "messageId", "index", "kind", "text", "part"},
    "turn:changed": {"channel", "busy", "queued", "answering", "waitingFor", "silent"},
    "permission:requested": {
        *("id", "channel", "agent", "messageId", "toolCall", "options", "rejections"),
    },
    "permission:resolved": {"id", "channel"},
    "usage:changed": {"channel", "agent", "usage"},
    "commands:changed": {"agent", "commands"},
}


class Program:
    """Starts `sidekicks` with a configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "a.yaml"
        self.processes: list[asyncio.subprocess.Process] = []

    def agents(self, *agents: dict[str, object]) -> None:
        self.config.write_text(json.dumps({"agents": agents}))

    def scripted(self, *options: str) -> None:
        self.agents({"name": "ada", "command": sys.executable, "args": [str(SCRIPT), *options]})

    def mm(self, url: str, **environment: str) -> None:
        env = {"MM_PROVIDER": "openai", "MM_BASE_URL": url, **environment}
        self.agents({"name": "mm", "command": "mm", "args": ["--acp"], "env": env, "cwd": str(self.folder)})

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "sidekicks", "--config", self.config, "--data-dir", self.folder / "data", *arguments),
            cwd=self.folder,
            env=mm_environment(self.folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=2**24,
        )
        self.processes.append(process)
        return process

    async def run(self, *arguments: str) -> Ran:
        process = await self.start(*arguments)
        async with asyncio.timeout(40):
            out, err = await process.communicate()
        return Ran(process.returncode, out.decode(), err.decode())


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    program = Program(tmp_path)
    yield program
    for process in program.processes:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def test_the_answer_is_on_stdout(program: Program) -> None:
    program.scripted()
    ran = await program.run("ask", "ada", "hello")
    assert ran == Ran(0, "echo: hello\n", "")


async def test_a_channel_and_its_names(program: Program) -> None:
    program.scripted()
    ran = await program.run("ask", "#none", "hello")
    assert ran == Ran(1, "", "sidekicks: there is no channel #none; `--create` makes it\n")


@pytest.mark.parametrize(
    ("arguments", "output"),
    [(("--allow", "once"), "done (yes)"), (("--allow", "reject"), "rejected"), ((), "rejected")],
)
async def test_permissions(program: Program, arguments: tuple[str, ...], output: str) -> None:
    program.scripted()
    ran = await program.run("ask", "ada", "!ask(execute, rm notes.txt) !text(that is all)", *arguments)
    assert (ran.code, ran.out) == (0, "that is all\n")
    assert "[execute] rm notes.txt · " in ran.err
    assert ("completed" in ran.err) == (output != "rejected")
    assert ("--allow once" in ran.err) == (not arguments)


async def test_events_as_json(program: Program) -> None:
    program.scripted("commands")
    text = "!thought(hm) !plan !tool !diff !usage !stderr(log) !ask !text(done)"
    ran = await program.run("ask", "ada", text, "--json", "--allow", "once")
    assert (ran.code, ran.err) == (0, "")
    events = [json.loads(line) for line in ran.out.splitlines()]
    seen = {event["event"] for event in events}
    assert seen >= set(KEYS) - {"config:changed", "channels:changed"}
    for event in events:
        assert set(event) - {"event"} == KEYS[event["event"]], event["event"]
    [requested] = [event for event in events if event["event"] == "permission:requested"]
    assert {"optionId": "yes", "name": "Allow", "kind": "allow_once"} in requested["options"]
    done = [e["message"] for e in events if e["event"] == "message:updated" and e["message"]["stopReason"]]
    assert [part["type"] for part in done[-1]["parts"]] == ["thought", "plan", "tool", "tool", "tool", "text"]
    assert done[-1]["stopReason"] == "end_turn"


NO_AGENT = {"name": "ada", "command": sys.executable, "args": ["-c", "print('hi'); exit(1)"]}


@pytest.mark.parametrize(
    ("agents", "says"),
    [
        ([], "sidekicks: the configuration has no agent named ada\n"),
        (
            [{"name": "ada", "command": "no-such-program"}],
            "ada is not available: the program no-such-program was not found; install it, or change ",
        ),
        ([NO_AGENT], "ada is not available: it ended with exit code 1 before it answered\n"),
    ],
    ids=["unknown", "not found", "no agent"],
)
async def test_agents_that_can_t_answer(program: Program, agents: list[dict[str, object]], says: str) -> None:
    program.agents(*agents)
    ran = await program.run("ask", "ada", "hello")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(says)
    assert "Traceback" not in ran.err


async def test_an_agent_that_dies(program: Program) -> None:
    program.scripted()
    ran = await program.run("ask", "ada", "!garbage !text(well) !stderr(no memory) !die(3)")
    assert (ran.code, ran.out) == (1, "well\n")
    assert ran.err.startswith("ada: it ended with exit code 3\n")
    assert ran.err.endswith("no memory\n")


async def test_a_broken_file_says_where(program: Program) -> None:
    program.config.write_text("agents:\n  - name: ada\n    comand: x\n")
    ran = await program.run("ask", "ada", "hello")
    first, second = ran.err.splitlines()
    assert first == f"{program.config}:3:5: unknown key `comand`: did you mean `command`?"
    assert second == "sidekicks: nobody was asked, because the configuration is not valid."
    assert (ran.code, ran.out) == (1, "")


@needs_signals
@pytest.mark.parametrize(
    ("number", "code", "child"), [(signal.SIGINT, 130, "!child"), (signal.SIGTERM, 143, "")]
)
async def test_a_signal_leaves_no_process(
    program: Program, number: signal.Signals, code: int, child: str
) -> None:
    program.scripted()
    process = await program.start("ask", "ada", f"{child} !text(well) !silent")
    assert process.stdout is not None
    await process.stdout.readuntil(b"well")
    descendants = psutil.Process(process.pid).children(recursive=True)
    assert len(descendants) >= (3 if child else 2)  # the agent, its child, the guardian
    process.send_signal(number)
    async with asyncio.timeout(40):
        await process.communicate()
    assert process.returncode == code
    for one in descendants:
        await gone(one.pid)


@needs_signals
async def test_a_signal_while_the_agent_starts(program: Program) -> None:
    program.scripted("never-answers", f"pidfile={program.folder / 'pid'}", "stderr=begun")
    process = await program.start("ask", "ada", "hello", "--json")
    assert process.stdout is not None
    await process.stdout.readuntil(b"agent:log")
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(10):
        await process.communicate()
    assert process.returncode == 143
    await gone(int((program.folder / "pid").read_text()))


@needs_signals
@pytest.mark.parametrize(
    ("typed", "code", "says"),
    [(b"y\n", 0, b"completed"), (b"\n", 0, b"failed"), (b"\x03", 130, b"cancelled")],
    ids=["yes", "no", "Ctrl+C"],
)
async def test_whoever_sits_at_the_terminal_is_asked(
    program: Program, typed: bytes, code: int, says: bytes
) -> None:
    import pty

    program.scripted()
    ours, theirs = pty.openpty()
    places = ("--config", str(program.config), "--data-dir", str(program.folder / "data"))
    process = await asyncio.create_subprocess_exec(
        # A session with this terminal, so that Ctrl+C is a signal.
        *(sys.executable, "-c", ON_TERMINAL),
        *(sys.executable, "-m", "sidekicks", *places, "ask", "ada", "!ask(execute, rm notes.txt)"),
        cwd=program.folder,
        env=mm_environment(program.folder),
        stdin=theirs,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    program.processes.append(process)
    os.close(theirs)
    assert process.stderr is not None
    asked = await process.stderr.readuntil(b"[y/a/N] ")
    assert b"ada wants to execute: rm notes.txt" in asked
    os.write(ours, typed)
    async with asyncio.timeout(20):
        _, err = await process.communicate()
    os.close(ours)
    assert process.returncode == code
    assert says in err


@needs_signals
async def test_who_reads_has_enough(program: Program) -> None:
    program.scripted()
    process = await asyncio.create_subprocess_shell(
        f"{quote(sys.executable)} -m sidekicks --config {quote(str(program.config))}"
        " ask ada '!stream(2000, 100)' | head -c 10",
        cwd=program.folder,
        env=mm_environment(program.folder),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert (out, err) == (b"0 xxxxxxxx", b"")


# -- the real mm -------------------------------------------------------------------------------------


async def test_mm_answers(program: Program) -> None:
    async with ScriptedModel() as server:
        program.mm(server.url)
        assert await program.run("ask", "mm", "hello") == Ran(0, "Hello from the scripted model.\n", "")


async def test_mm_uses_a_tool_when_it_may(program: Program) -> None:
    async with ScriptedModel() as server:
        program.mm(server.url)
        ran = await program.run("ask", "mm", "RUNTOOL=`echo hi > made; cat made`", "--allow", "once")
        assert (ran.code, "The tool said: hi. Done." in ran.out) == (0, True)
        assert (program.folder / "made").read_text() == "hi\n"
        ran = await program.run("ask", "mm", "RUNTOOL=`echo hi > never`", "--allow", "reject")
        assert not (program.folder / "never").exists()
        assert ran.code == 0


async def test_the_model_server_is_down(program: Program) -> None:
    async with ScriptedModel() as server:
        url = server.url
    program.mm(url)
    ran = await program.run("ask", "mm", "hello")
    assert (ran.code, ran.out) == (1, "")
    [line] = ran.err.splitlines()
    assert line.startswith("mm: ")
    assert f"no model server answers at {url}" in line


async def test_the_model_server_refuses_the_key(program: Program) -> None:
    async with ScriptedModel(api_key="secret") as server:
        program.mm(server.url, MM_API_KEY="sk-not-this-one")
        ran = await program.run("ask", "mm", "hello")
    assert (ran.code, ran.out) == (1, "")
    [line] = ran.err.splitlines()
    assert line.startswith("mm: ")
    assert "key" in line
    assert "sk-not-this-one" not in line
