"""`mm` on a terminal whose cursor can't move: a real pseudo-terminal, the real process, a scripted server."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.e2e.screen import CTRL_C, CTRL_D, StartScreen
from tests.processes import gone
from tests.scripted_model import ScriptedModel, Text


async def test_a_conversation(screen: StartScreen) -> None:
    async with ScriptedModel() as server:
        mm = await screen(server.url)
        await mm.shows("/help lists the commands")
        assert f"server, scripted, {server.url}, window 8192 tokens" in await mm.shows("> ")
        mm.types(b"hello\n")
        await mm.shows("Hello from the scripted model.")
        await mm.shows("> ")
        mm.types(b"RUNTOOL\n")
        await mm.shows("bash")
        await mm.shows("  hello-from-tool")
        await mm.shows("The tool said: hello-from-tool. Done.")
        mm.types(b"/status\n")
        await mm.shows("last request: 100 of 8192 tokens")
        mm.types(b"/new\n")
        await mm.shows("a new conversation")
        mm.types(b"hello\n")
        await mm.shows("Hello from")
        assert len(server.chats[-1]["messages"]) == 2
        mm.types(b"/hepl\n")
        await mm.shows("there is no /hepl")
        await mm.shows("> ")
        mm.types(CTRL_D)
        assert await mm.process.wait() == 0


async def test_compact(screen: StartScreen) -> None:
    replies = [[Text("word " * 300)], [Text("more " * 300)], [Text("Goal: words")], [Text("five")]]
    async with ScriptedModel(replies) as server:
        mm = await screen(server.url)
        await mm.shows("> ")
        for line in (b"/compact\n", b"/tmp is a folder\n", b"and?\n", b"/compact keep the words\n"):
            mm.types(line)
            await mm.shows("> ")
        assert "keep the words" in server.chats[-1]["messages"][-1]["content"]
        mm.types(b"go on\n")
        await mm.shows("five")
        await mm.shows("> ")
        assert server.chats[-1]["messages"][1]["content"].endswith("Goal: words")
        mm.types(CTRL_D)
        assert await mm.process.wait() == 0


async def test_a_session_is_chosen_and_goes_on(screen: StartScreen) -> None:
    async with ScriptedModel() as server:
        for question in (b"one\n", b"two\n"):
            mm = await screen(server.url)
            await mm.shows("> ")
            mm.types(question)
            await mm.shows("Hello from the scripted model.")
            await mm.shows("> ")
            mm.types(CTRL_D)
            await mm.process.wait()
        mm = await screen(server.url, "-r")
        rows = await mm.shows("Which one? 1 to 2, Enter for none: ")
        assert rows.index("  1  ") < rows.index("  two") < rows.index("  2  ") < rows.index("  one")
        mm.types(b"3\n")
        await mm.shows("Which one?")
        mm.types(b"2\n")
        await mm.shows("> ")
        mm.types(b"three\n")
        await mm.shows("Hello from")
        assert [m["content"] for m in server.chats[-1]["messages"] if m["role"] == "user"] == ["one", "three"]


async def test_ctrl_c_stops_the_turn_and_keeps_the_session(screen: StartScreen) -> None:
    async with ScriptedModel() as server:
        mm = await screen(server.url)
        await mm.shows("> ")
        mm.types(b"STALL\n")
        await mm.shows("One")
        mm.types(CTRL_C)
        await mm.shows("[stopped]")
        await mm.shows("> ")
        mm.types(b"half a line")
        await mm.shows("half a line")
        await mm.sleeps()
        mm.types(CTRL_C)
        await mm.shows("> ")
        mm.types(b"hello\n")
        await mm.shows("Hello from the scripted model.")
        said = [message["content"] for message in server.chats[-1]["messages"][1:]]
        assert said == ["STALL", "One ", "hello"]
        await mm.shows("> ")
        mm.types(b"/quit\n")
        assert await mm.process.wait() == 0


async def test_ctrl_c_ends_what_bash_started(screen: StartScreen, tmp_path: Path) -> None:
    async with ScriptedModel() as server:
        mm = await screen(server.url)
        await mm.shows("> ")
        mm.types(b"RUNTOOL=`sleep 600 & echo $! > child; mkfifo fifo; echo up > fifo; wait`\n")
        await mm.shows("bash")
        while not (tmp_path / "fifo").exists():  # noqa: ASYNC110 (a file of another process gives no event)
            await asyncio.sleep(0.01)
        await asyncio.to_thread((tmp_path / "fifo").read_text)
        mm.types(CTRL_C)
        await mm.shows("[stopped]")
        await gone(int((tmp_path / "child").read_text()))


async def test_sigterm_in_a_turn_ends_mm(screen: StartScreen) -> None:
    async with ScriptedModel() as server:
        mm = await screen(server.url)
        await mm.shows("> ")
        mm.types(b"STALL\n")
        await mm.shows("One")
        mm.process.terminate()
        assert await mm.process.wait() == 143


async def test_no_server_is_said_and_mm_goes_on(screen: StartScreen) -> None:
    server = ScriptedModel()
    async with server:
        url = server.url
    mm = await screen(url)
    await mm.shows("no model server answers at")
    await mm.shows("> ")
    async with server:
        mm.types(b"hello\n")
        await mm.shows("Hello from the scripted model.")
        mm.types(b"/quit\n")
        await mm.process.wait()


async def test_what_people_wrote_is_a_command(screen: StartScreen, tmp_path: Path) -> None:
    prompts = tmp_path / ".mm" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "look.md").write_text("---\ndescription: Looks at a file\n---\nLook at ${1:-everything}.")
    async with ScriptedModel() as server:
        mm = await screen(server.url)
        await mm.shows("> ")
        mm.types(b"/help\n")
        await mm.shows("/look: Looks at a file")
        await mm.shows("/skill:greetings: Greet a person by name")
        for line, sent in (
            (b"/look\n", "Look at everything."),
            (b"/look a.py\n", "Look at a.py."),
            (b"$greetings Bob\n", "[skill: greetings — load it with read_skill"),
            (b"/skill:greetings\n", "[skill: greetings — load it with read_skill"),
        ):
            mm.types(line)
            await mm.shows("Hello from the scripted model.")
            assert server.chats[-1]["messages"][-1]["content"].startswith(sent)


async def test_the_tree_of_a_session(screen: StartScreen) -> None:
    async with ScriptedModel() as server:

        def sent() -> list[str]:
            return [m["content"] for m in server.chats[-1]["messages"] if m["role"] == "user"]

        mm = await screen(server.url, "--name", "trunk")

        async def ask(text: str) -> None:
            await mm.shows("> ")
            mm.types(text.encode() + b"\n")
            await mm.shows("Hello from the scripted model.")

        async def command(text: str, said: str) -> str:
            await mm.shows("> ")
            mm.types(text.encode() + b"\n")
            await mm.shows(text)
            return await mm.shows(said)

        await ask("one")
        await ask("two")
        await command("/tree 2", "[before the question: two]")
        await ask("other two")
        assert sent() == ["one", "other two"]
        rows = await command("/tree", "[*  3  other two]")
        assert "[*  1  one]" in rows
        assert "[   2  two]" in rows
        await command("/tree 9", "[there is no question 9; /tree lists them]")
        await command("/clone", "one, 4 messages]")
        await ask("three")
        assert sent() == ["one", "other two", "three"]
        await command("/fork 1", "[before the question: one]")
        await ask("another one")
        assert sent() == ["another one"]
        await command("/name  twig ", "[this session is twig]")
        rows = await command("/resume", "/resume with a number")
        assert rows.index("twig") < rows.index("  2  ")
        await command("/resume 3", "trunk, 4 messages]")
        await ask("last")
        assert sent() == ["one", "other two", "last"]
