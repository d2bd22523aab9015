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
        self.terminals: list[int] = []

    def agents(self, *agents: dict[str, object]) -> None:
        self.config.write_text(json.dumps({"agents": agents}))

    def scripted(self, *options: str, names: tuple[str, ...] = ("ada",)) -> None:
        command = {"command": sys.executable, "args": [str(SCRIPT), *options]}
        self.agents(*({"name": name, **command} for name in names))

    def mm(self, url: str, **environment: str) -> None:
        env = {"MM_PROVIDER": "openai", "MM_BASE_URL": url, **environment}
        self.agents({"name": "mm", "command": "mm", "args": ["--acp"], "env": env, "cwd": str(self.folder)})

    async def start(
        self, *arguments: str, before: tuple[str, ...] = (), stdin: int = asyncio.subprocess.DEVNULL
    ) -> asyncio.subprocess.Process:
        places = ("--config", str(self.config), "--data-dir", str(self.folder / "data"))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *before, "-m", "sidekicks", *places, *arguments),
            cwd=self.folder,
            env=mm_environment(self.folder),
            stdin=stdin,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=2**24,
        )
        self.processes.append(process)
        return process

    async def run(self, *arguments: str, stdin: bytes | None = None) -> Ran:
        given = asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE
        return await ended(await self.start(*arguments, stdin=given), stdin)

    async def at_terminal(self, *arguments: str) -> tuple[asyncio.subprocess.Process, int]:
        """Starts it in a session with a terminal, so that Ctrl+C is a signal; also the keyboard."""
        ours, theirs = os.openpty()
        self.terminals.append(ours)
        process = await self.start(*arguments, before=("-c", ON_TERMINAL, sys.executable), stdin=theirs)
        os.close(theirs)
        return process, ours


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    program = Program(tmp_path)
    yield program
    for process in program.processes:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
    for terminal in program.terminals:
        os.close(terminal)


async def ended(process: asyncio.subprocess.Process, stdin: bytes | None = None) -> Ran:
    async with asyncio.timeout(40):
        out, err = await process.communicate(stdin)
    return Ran(process.returncode, out.decode(), err.decode())


async def asked(process: asyncio.subprocess.Process, question: bytes) -> bytes:
    """What was said up to a question at the terminal."""
    assert process.stderr is not None
    async with asyncio.timeout(20):
        return await process.stderr.readuntil(question)


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
    [
        (("--allow", "once"), "done (yes)"),
        (("--allow", "always"), "done (always)"),
        (("--allow", "reject"), "rejected"),
        ((), "rejected"),
    ],
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
    program.scripted()
    process, keyboard = await program.at_terminal("ask", "ada", "!ask(execute, rm notes.txt)")
    assert b"ada wants to execute: rm notes.txt" in await asked(process, b"[y/a/N] ")
    os.write(keyboard, typed)
    ran = await ended(process)
    assert ran.code == code
    assert says.decode() in ran.err


@needs_signals
async def test_what_always_means_is_said_before_and_after(program: Program) -> None:
    program.scripted()
    process, keyboard = await program.at_terminal("ask", "ada", "!offer(execute, For `npm test`)")
    assert b"\n  a: For `npm test`\n" in await asked(process, b"[y/a/N] ")
    os.write(keyboard, b"a\n")
    assert "ada was told “For `npm test`” and remembers it by itself." in (await ended(process)).err
    process, keyboard = await program.at_terminal("ask", "ada", "!ask !ask")
    assert b"\n  a: ada may always execute, whatever it is\n" in await asked(process, b"[y/a/N] ")
    os.write(keyboard, b"a\n")
    said = (await ended(process)).err
    assert "Remembered: ada may always execute, whatever it is; `sidekicks rules forget ada execute`" in said
    assert "wants to" not in said
    ran = await program.run("ask", "ada", "!ask")
    assert (ran.code, "Remembered" in ran.err) == (0, False)


@needs_signals
async def test_a_form_is_filled_in_at_the_terminal_field_by_field(program: Program) -> None:
    program.scripted()
    process, keyboard = await program.at_terminal("ask", "ada", "!elicit-form")
    said = await asked(process, b"Name: ")
    assert b"ada asks: A few things" in said
    assert b"What to call it" in said
    os.write(keyboard, b"x\n")
    assert b"Name has to have at least 2 characters." in await asked(process, b"Name: ")
    os.write(keyboard, b"boat\n")
    await asked(process, b"Size (default: 3): ")
    os.write(keyboard, b"\n")
    assert b"  1. red\n  2. green\n" in await asked(process, b"Colour (number): ")
    os.write(keyboard, b"2\n")
    await asked(process, b"Sure (y/n, may be empty): ")
    os.write(keyboard, b"\n")
    ran = await ended(process)
    answer = json.loads(ran.out)
    assert answer == {"action": "accept", "content": {"name": "boat", "size": 3, "color": "green"}}
    assert ran.code == 0


@needs_signals
@pytest.mark.parametrize(("typed", "action"), [(b"y\n", "accept"), (b"\x04", "decline")])
async def test_a_link_is_shown_and_never_opened(program: Program, typed: bytes, action: str) -> None:
    program.scripted()
    process, keyboard = await program.at_terminal("ask", "ada", "!elicit-link")
    assert b"ada asks: Log in\n  https://example.org/login\n" in await asked(process, b"Done? [y/N] ")
    os.write(keyboard, typed)
    assert json.loads((await ended(process)).out)["action"] == action


@needs_signals
async def test_who_sends_a_file_can_still_be_asked(program: Program) -> None:
    program.scripted()
    ours, theirs = os.openpty()
    program.terminals.append(ours)
    places = ("--config", str(program.config), "--data-dir", str(program.folder / "data"))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", ON_TERMINAL.replace("ioctl(0", "ioctl(2"), sys.executable),
        *("-m", "sidekicks", *places, "ask", "ada"),
        cwd=program.folder,
        env=mm_environment(program.folder),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=theirs,
    )
    program.processes.append(process)
    os.close(theirs)
    assert process.stdin is not None
    process.stdin.write(b"!ask(execute, rm notes.txt)")
    process.stdin.close()
    said = b""
    while not said.endswith(b"[y/a/N] "):
        said += await asyncio.to_thread(os.read, ours, 1000)
    os.write(ours, b"y\n")
    async with asyncio.timeout(20):
        await process.communicate()
    assert process.returncode == 0


async def test_without_a_terminal_forms_are_declined(program: Program) -> None:
    program.scripted()
    ran = await program.run("ask", "ada", "!elicit-form !elicit-link")
    assert ran.out.count('"decline"') == 2
    assert ran.err.count("nobody can be asked here") == 2
    assert ran.code == 0


@needs_signals
async def test_a_second_ctrl_c_leaves_at_once(program: Program) -> None:
    program.scripted("ignore-eof", "ignore-term")
    process = await program.start("ask", "ada", "!text(well) !deaf")
    assert process.stdout is not None
    await process.stdout.readuntil(b"well")
    descendants = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    await asked(process, b"again leaves at once.")
    process.send_signal(signal.SIGINT)
    async with asyncio.timeout(3):  # an agent that hears nothing is given 10 s by the first
        await process.communicate()
    assert process.returncode == 130
    for one in descendants:
        await gone(one.pid)


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


# -- what is asked, and of whom ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "stdin", "sent"),
    [
        ((), b"from a pipe\n", "from a pipe"),
        (("-",), b"from a pipe\n", "from a pipe"),
        (("explain", "this", "-"), b"from a pipe\n", "explain this\n\nfrom a pipe"),
        (("two", "words"), None, "two words"),
        (("--allow", "once", "behind", "an option"), None, "behind an option"),
        (("--allow", "once", "--", "-5 + 3"), None, "-5 + 3"),
    ],
)
async def test_where_the_message_comes_from(
    program: Program, arguments: tuple[str, ...], stdin: bytes | None, sent: str
) -> None:
    program.scripted()
    ran = await program.run("ask", "--json", "ada", *arguments, stdin=stdin)
    mine = next(json.loads(line) for line in ran.out.splitlines() if '"role":"user"' in line)
    assert mine["message"]["parts"] == [{"type": "text", "text": sent}]


async def test_an_agent_s_name_that_is_nearly_right(program: Program) -> None:
    program.scripted()
    ran = await program.run("ask", "addda", "hello")
    assert ran.err == "sidekicks: the configuration has no agent named addda: did you mean `ada`?\n"
    assert (await program.run("ask", "Ada", "hello")).out == "echo: hello\n"


async def test_an_empty_message_is_wrong_usage(program: Program) -> None:
    program.scripted()
    ran = await program.run("ask", "ada", stdin=b" \n")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("error: there is no message: give TEXT, or text through stdin\n")


async def test_two_agents_answer_one_after_the_other_and_know_what_was_said(program: Program) -> None:
    program.scripted(names=("ada", "bob"))
    refused = await program.run("ask", "#Plans", "hello")
    assert "`--create` makes it" in refused.err
    unmarked = await program.run("ask", "Plans", "--create", "hello")
    assert unmarked.err.endswith("no agent named Plans; a channel has # before its name: '#Plans'\n")
    ran = await program.run("ask", "#Plans", "--create", "@ada @bob compare !text(my plan) !prompt")
    assert ran.code == 0
    ada, bob = ran.out.removeprefix("ada:\n").split("\nbob:\n")
    assert ada.startswith("my plan")
    assert "my plan" in bob.removeprefix("my plan").partition("compare")[0]
    unmarked = await program.run("ask", "plans", "hello")
    says = "the configuration has no agent named plans; a channel has # before its name: '#plans'"
    assert (unmarked.code, unmarked.err) == (1, f"sidekicks: {says}\n")
    again = await program.run("ask", "#plans", "@bob hello")
    assert (again.code, again.out) == (0, "bob:\necho: @bob hello\n")


async def test_a_folder_and_a_file_go_with_the_message(program: Program) -> None:
    program.scripted()
    folder = program.folder / "a folder"
    folder.mkdir()
    note = folder / "note.txt"
    note.write_text("hi")
    ran = await program.run("ask", "ada", "!cwd", "--cwd", "a folder")
    assert (ran.code, ran.out) == (0, f"{folder}\n")
    ran = await program.run("ask", "ada", "look", "--attach", "a folder/note.txt", "--json")
    sent = next(json.loads(line) for line in ran.out.splitlines() if '"role":"user"' in line)
    assert {"type": "file", "path": str(note), "mimeType": "text/plain"} in sent["message"]["parts"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--cwd", "nowhere"), "--cwd: there is no folder nowhere"),
        (("--attach", "no.png"), "--attach: the file no.png"),
    ],
)
async def test_what_does_not_exist_can_t_go_with_it(
    program: Program, arguments: tuple[str, ...], says: str
) -> None:
    program.scripted()
    ran = await program.run("ask", "ada", "look", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"sidekicks: {says}")


async def test_an_answer_that_takes_too_long_is_stopped(program: Program) -> None:
    program.scripted()
    ran = await program.run("ask", "ada", "!text(well) !silent", "--timeout", "0.5")
    assert (ran.code, ran.out) == (124, "well\n")
    assert ran.err.startswith("sidekicks: stopped, because it took longer than 0.5 s.\n")


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
