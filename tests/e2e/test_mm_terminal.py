"""`mm` on a terminal that moves its cursor: keys typed, the screen read, against a scripted server."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import stat
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import mm_environment
from tests.e2e.screen import ALT_ENTER, ALT_UP, CTRL_C, CTRL_D, DrawnScreen, StartScreen
from tests.processes import gone
from tests.scripted_model import Call, Progress, Reasoning, ScriptedModel, Text, Usage, Wait

HELLO = "Hello from the scripted model."
Start = Callable[..., Awaitable[DrawnScreen]]


@pytest.fixture
def mm(screen: StartScreen) -> Start:
    """Starts mm and waits for its prompt."""

    async def start(server: ScriptedModel, *arguments: str, **options: str) -> DrawnScreen:
        shown = await screen(server.url, *arguments, **{"TERM": "xterm-256color", **options})
        assert isinstance(shown, DrawnScreen)
        await shown.shows("session ")
        return shown

    return start


def asked(server: ScriptedModel) -> list[str]:
    return [m["content"] for m in server.chats[-1]["messages"] if m["role"] == "user"]


async def test_a_conversation(mm: Start) -> None:
    answer = "# Title\n\nSome **bold** text.\n\n```python\nx = 1\n```\n\nEnd."
    replies = [
        [
            Progress(12000, 25300),
            Reasoning("let me see"),
            *map(Text, answer),
            Usage(100, 10, 50, 200.0, 30.0),
        ],
    ]
    async with ScriptedModel(replies) as server:
        shown = await mm(server)
        shown.types(b"hello\r")
        await shown.shows("> hello")
        await shown.shows("let me see")
        await shown.shows("End.")
        assert "let me see\n\nTitle\n\nSome bold text.\n\nx = 1\n\nEnd.\n" in shown.text
        shown.types(b"/status\r")
        await shown.shows("2 messages, in ")
        await shown.shows("last request: 100 of 8192 tokens, 50 % from the cache")
        await shown.shows("decode 30 tokens/s")
        shown.types(CTRL_D)
        assert await shown.process.wait() == 0


async def test_it_says_what_it_does(mm: Start) -> None:
    reading, thinking = asyncio.Event(), asyncio.Event()
    call = Call("bash", {"command": "echo one; read line < /dev/zero & sleep 600"})
    replies = [[Progress(12000, 25300), Wait(reading), Reasoning("hm"), Wait(thinking), call]]
    async with ScriptedModel(replies) as server:
        shown = await mm(server)
        shown.types(b"go\r")
        await shown.shows("Reading the prompt 12.0k/25.3k tokens")
        reading.set()
        await shown.shows("Thinking")
        thinking.set()
        await shown.shows("● bash echo one")
        await shown.shows("Running bash")
        shown.types(CTRL_C)
        await shown.shows("stopped")


@pytest.mark.parametrize("terminal", ["xterm-256color", "dumb"])
async def test_a_terminal_that_is_closed_leaves_nothing_running(
    screen: StartScreen, tmp_path: Path, terminal: str
) -> None:
    call = Call("bash", {"command": "sleep 600 & echo $! > child; mkfifo fifo; echo up > fifo; wait"})
    async with ScriptedModel([[call]]) as server:
        shown = await screen(server.url, TERM=terminal)
        await shown.shows(">")
        shown.types(b"go\r")
        await shown.shows("bash")
        while not (tmp_path / "fifo").exists():  # noqa: ASYNC110 (a file of another process gives no event)
            await asyncio.sleep(0.01)
        await asyncio.to_thread((tmp_path / "fifo").read_text)
        shown.close()
        await gone(int((tmp_path / "child").read_text()))
        assert await shown.process.wait() == 129


async def test_steering_follow_up_and_taking_back(mm: Start) -> None:
    go_on = asyncio.Event()
    replies = [[Text("One."), Wait(go_on)], [Text("Two.")], [Text("Three.")]]
    async with ScriptedModel(replies) as server:
        shown = await mm(server)
        shown.types(b"count\r")
        await shown.shows("One.")
        shown.types(b"in French\r")
        await shown.shows("next: in French")
        shown.types(b"thank you" + ALT_ENTER)
        await shown.shows("then: thank you")
        shown.types(b"no" + ALT_ENTER)
        await shown.shows("then: no")
        shown.types(ALT_UP)
        await shown.shows("> no")
        go_on.set()
        await shown.shows("> in French")
        await shown.shows("Two.")
        await shown.shows("> thank you")
        await shown.shows("Three.")
        assert asked(server) == ["count", "in French", "thank you"]


async def test_ctrl_c_gives_what_waited_back(mm: Start) -> None:
    async with ScriptedModel() as server:
        shown = await mm(server)
        shown.types(b"STALL\r")
        await shown.shows("One")
        shown.types(b"and two\r")
        await shown.shows("next: and two")
        shown.types(CTRL_C)
        await shown.shows("stopped")
        await shown.shows("> and two")
        shown.types(CTRL_C)
        shown.types(CTRL_C)
        await shown.shows("Ctrl+D or /quit leaves")
        shown.types(b"hello\r")
        await shown.shows(HELLO)
        assert asked(server) == ["STALL", "hello"]
        shown.types(b"/quit\r")
        assert await shown.process.wait() == 0


async def test_a_megabyte_pasted_is_one_message(mm: Start) -> None:
    text = "\n".join(f"line {number} of a log" for number in range(60_000))
    assert len(text) > 1_000_000
    async with ScriptedModel(window=1_000_000) as server:
        shown = await mm(server)
        shown.types(b"what is this? ")
        await shown.pastes(text)
        await shown.shows("[pasted 1: 60,000 lines]")
        shown.types(b"\r")
        await shown.shows("more lines")
        await shown.shows(HELLO)
        assert asked(server) == [f"what is this? {text}"]


async def test_several_lines(mm: Start) -> None:
    async with ScriptedModel() as server:
        shown = await mm(server)
        await shown.pastes("one\r\ntwo")
        shown.types(ALT_ENTER + b"three\r")
        await shown.shows(HELLO)
        assert asked(server) == ["one\ntwo\nthree"]


async def test_completion(mm: Start, tmp_path: Path) -> None:
    (tmp_path / "my notes.md").write_text("notes")
    async with ScriptedModel() as server:
        shown = await mm(server)
        shown.types(b"/stat")
        await shown.shows("the model, its window")
        shown.types(b"\t\r\r")
        await shown.shows("window 8192")
        shown.types(b"read @not")
        await shown.shows("my notes.md")
        shown.types(b"\t\r\r")
        await shown.shows(HELLO)
        assert asked(server) == [f"read [attached file: {tmp_path / 'my notes.md'}]"]


async def test_history_without_secrets(mm: Start, tmp_path: Path) -> None:
    async with ScriptedModel() as server:
        shown = await mm(server)
        for line in (b"remember me", b"my password: hunter2-hunter2"):
            shown.types(line + b"\r")
            await shown.shows(HELLO)
            shown.types(CTRL_D)
        await shown.process.wait()
        shown = await mm(server)
        shown.types(b"\x1b[A")
        await shown.shows("remember me")
        [file] = tmp_path.rglob("prompt-history")
        assert "hunter2" not in file.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_sigterm_ends_the_turn_and_keeps_the_history(mm: Start) -> None:
    async with ScriptedModel() as server:
        shown = await mm(server)
        shown.types(b"STALL\r")
        await shown.shows("One")
        shown.process.terminate()
        assert await shown.process.wait() == 143
        shown = await mm(server, "-c")
        shown.types(b"hello\r")
        await shown.shows(HELLO)
        assert asked(server) == ["STALL", "hello"]


async def test_ctrl_d_in_a_turn_ends_it(mm: Start) -> None:
    async with ScriptedModel() as server:
        shown = await mm(server)
        shown.types(b"STALL\r")
        await shown.shows("One")
        shown.types(CTRL_D)
        assert await shown.process.wait() == 0


async def test_no_colour_and_forty_columns(mm: Start) -> None:
    async with ScriptedModel([[Text("word " * 60 + "end\n\n"), Text("`code` x.")]]) as server:
        shown = await mm(server, NO_COLOR="1", columns=40)
        before = len(shown.raw)
        shown.types(b"hello\r")
        await shown.shows("code x.")
        styles = re.findall(rb"\x1b\[([\d;]+)m", shown.raw[before:])
        assert not [
            code for style in styles for code in style.split(b";") if re.fullmatch(b"[349][0-7]", code)
        ]
        assert max(map(len, shown.text.splitlines())) <= 40
        shown.resize(100)
        shown.types(b"/help\r")
        await shown.shows("/compact: make room in the model's window; text after it says")


async def test_models_and_tools(mm: Start) -> None:
    async with ScriptedModel(models=("small", "large")) as server:
        shown = await mm(server)
        shown.types(b"/model\r")
        await shown.shows("*  1  small")
        await shown.shows("chooses one")
        shown.types(b"/model 2\r")
        await shown.shows("server, large")
        shown.types(b"hello\r")
        await shown.shows(HELLO)
        assert server.chats[-1]["model"] == "large"
        shown.types(b"/tools\r")
        await shown.shows("on: bash, edit_file")
        shown.types(b"/modle\r")
        await shown.shows("there is no /modle (did you mean model?)")


async def test_no_server_is_said_and_mm_goes_on(screen: StartScreen) -> None:
    server = ScriptedModel()
    async with server:
        url = server.url
    shown = await screen(url, TERM="xterm")
    await shown.shows("no model server answers at")
    async with server:
        shown.types(b"hello\r")
        await shown.shows(HELLO)


async def test_what_is_typed_before_mm_is_ready_is_not_lost(screen: StartScreen) -> None:
    async with ScriptedModel() as server:
        shown = await screen(server.url, TERM="xterm")
        await shown.shows("mm: /help")
        shown.types(b"hello\r")
        await shown.shows(HELLO)


@pytest.mark.skipif(shutil.which("tmux") is None, reason="a shell with job control needs tmux")
async def test_ctrl_z_suspends_and_fg_goes_on(tmp_path: Path) -> None:
    async with ScriptedModel() as server:
        name = f"mm-{os.getpid()}"

        async def tmux(*arguments: str) -> str:
            process = await asyncio.create_subprocess_exec(
                *("tmux", "-L", name, "-f", "/dev/null", *arguments),
                cwd=tmp_path,
                env=mm_environment(tmp_path) | {"TERM": "xterm-256color"},
                stdout=asyncio.subprocess.PIPE,
            )
            return (await process.communicate())[0].decode()

        async def shows(text: str) -> None:
            async with asyncio.timeout(20):
                while text not in await tmux("capture-pane", "-p"):  # noqa: ASYNC110 (tmux gives no event)
                    await asyncio.sleep(0.05)

        await tmux("new-session", "-d", "-x", "80", "-y", "24", "bash", "--norc")
        try:
            start = f"{sys.executable} -m minime_agent --base-url {server.url}"
            await tmux("send-keys", start, "Enter")
            await shows("session new")
            await tmux("send-keys", "C-z")
            await shows("Stopped")
            await tmux("send-keys", "fg", "Enter")
            await tmux("send-keys", "hello", "Enter")
            await shows(HELLO)
        finally:
            await tmux("kill-server")
