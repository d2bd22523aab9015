"""One conversation through several façades and processes: `mm -p`, `-c`, the terminal, the protocol."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import acp
import pytest

from tests.acp.sdk_client import Agent, running
from tests.e2e.conftest import RunMm, StartMm, mm_environment
from tests.scripted_model import ScriptedModel

MM = (sys.executable, "-m", "minime_agent", "--acp")


def said(server: ScriptedModel) -> list[str]:
    """The questions of the newest request."""
    return [m["content"] for m in server.chats[-1]["messages"] if m["role"] == "user"]


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "home").rglob("*.jsonl"))


async def take_up(agent: Agent, method: str, session: str, folder: Path) -> Any:
    return await getattr(agent.connection, method)(cwd=str(folder), session_id=session, mcp_servers=[])


async def test_a_conversation_goes_on_in_every_facade(run_mm: RunMm, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    async with ScriptedModel() as server:
        at = ("--base-url", server.url)
        first = await run_mm("-p", "RUNTOOL", *at, "--output-format", "json", "--name", "my talk")
        session = json.loads(first.out)["session_id"]
        assert (await run_mm("-c", "-p", "second", *at)).code == 0
        assert said(server) == ["RUNTOOL", "second"]
        async with running(*MM, *at, env=mm_environment(tmp_path / "home")) as mm:
            listed = await mm.connection.list_sessions(cwd=str(folder))
            assert [(row.session_id, row.title, row.cwd) for row in listed.sessions] == [
                (session, "my talk", str(folder))
            ]
            await take_up(mm, "load_session", session, folder)
            kinds = [kind for kind in mm.client.kinds(session) if kind != "available_commands_update"]
            assert kinds == [
                *("user_message_chunk", "agent_message_chunk", "tool_call", "agent_message_chunk"),
                *("user_message_chunk", "agent_message_chunk"),
            ]
            call = next(u for u in mm.client.updates[session] if u.session_update == "tool_call")
            assert (call.title, call.kind, call.status) == ("echo hello-from-tool", "execute", "completed")
            assert call.raw_input == {"command": "echo hello-from-tool"}
            assert await mm.prompt(session, "third") == "end_turn"
            assert said(server) == ["RUNTOOL", "second", "third"]
            assert await mm.end() == ""
        assert (await run_mm("--session", "my talk", "-p", "fourth", *at)).code == 0
        assert said(server) == ["RUNTOOL", "second", "third", "fourth"]
    assert len(files(tmp_path)) == 1


async def test_resume_shows_nothing_and_goes_on(tmp_path: Path, run_mm: RunMm) -> None:
    async with ScriptedModel() as server:
        await run_mm("-p", "first", "--base-url", server.url)
        session = files(tmp_path)[0].stem
        async with running(*MM, "--base-url", server.url, env=mm_environment(tmp_path / "home")) as mm:
            await take_up(mm, "resume_session", session, tmp_path)
            assert await mm.prompt(session, "second") == "end_turn"
            assert said(server) == ["first", "second"]
            assert "user_message_chunk" not in mm.client.kinds(session)


async def test_a_fork_leaves_the_first_as_it_was(tmp_path: Path) -> None:
    async with (
        ScriptedModel() as server,
        running(*MM, "--base-url", server.url, env=mm_environment(tmp_path / "home")) as mm,
    ):
        first = await mm.new_session(str(tmp_path))
        await mm.prompt(first, "one")
        fork = (await take_up(mm, "fork_session", first, tmp_path)).session_id
        await mm.prompt(fork, "two")
        assert said(server) == ["one", "two"]
        await mm.prompt(first, "other two")
        assert said(server) == ["one", "other two"]
        titles = [u.title for u in mm.client.updates[first] if u.session_update == "session_info_update"]
        assert titles == ["one"]
        await mm.connection.close_session(session_id=first)
        listed = await mm.connection.list_sessions()
        assert {row.session_id for row in listed.sessions} == {first, fork}
    assert len(files(tmp_path)) == 2


async def test_a_session_is_one_process_alone_at_a_time(tmp_path: Path, run_mm: RunMm) -> None:
    async with (
        ScriptedModel() as server,
        running(*MM, "--base-url", server.url, env=mm_environment(tmp_path / "home")) as mm,
    ):
        session = await mm.new_session(str(tmp_path / "folder"))
        await mm.prompt(session, "one")
        ran = await run_mm("-c", "-p", "two", "--base-url", server.url)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"mm: the session {session} is open in another mm")
        await mm.connection.close_session(session_id=session)
        assert (await run_mm("-c", "-p", "two", "--base-url", server.url)).code == 0
        await take_up(mm, "load_session", session, tmp_path)
        await take_up(mm, "load_session", session, tmp_path)


async def test_a_session_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    async with running(*MM, env=mm_environment(tmp_path)) as mm:
        with pytest.raises(acp.RequestError, match="No session 01NONE is stored here") as caught:
            await take_up(mm, "load_session", "01NONE", tmp_path)
        assert caught.value.code == -32002


async def test_nothing_is_kept_when_nothing_is_to_be(run_mm: RunMm, tmp_path: Path) -> None:
    async with ScriptedModel() as server:
        assert (await run_mm("-p", "hi", "--no-session", "--base-url", server.url)).code == 0
        async with running(
            *MM, "--no-session", "--base-url", server.url, env=mm_environment(tmp_path / "home")
        ) as mm:
            await mm.prompt(await mm.new_session(str(tmp_path)), "hi")
            with pytest.raises(acp.RequestError, match="no conversation is kept"):
                await mm.connection.list_sessions()
    assert files(tmp_path) == []


async def test_kill_9_in_mid_turn_keeps_what_was_done(
    start_mm: StartMm, run_mm: RunMm, tmp_path: Path
) -> None:
    async with ScriptedModel() as server:
        at = ("--base-url", server.url)
        await run_mm("-p", "first", *at)
        running_mm = await start_mm("-c", "-p", "STALL", *at)
        await server.chat_arrived(2)
        running_mm.process.kill()
        await running_mm.ended()
        assert (await run_mm("-c", "-p", "third", *at)).code == 0
        assert said(server) == ["first", "third"]
    assert len(files(tmp_path)) == 1


async def test_the_last_of_a_folder_without_any_is_a_new_one(run_mm: RunMm, tmp_path: Path) -> None:
    async with ScriptedModel() as server:
        assert (await run_mm("-c", "-p", "first", "--base-url", server.url)).code == 0
        (tmp_path / "other").mkdir()
        ran = await run_mm("-c", "-p", "2", "--cwd", str(tmp_path / "other"), "--base-url", server.url)
        assert (ran.code, said(server)) == (0, ["2"])
    assert len(files(tmp_path)) == 2


async def test_a_client_is_told_the_commands_and_may_use_them(tmp_path: Path) -> None:
    prompts = tmp_path / ".mm" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "look.md").write_text("---\ndescription: Looks\nargument-hint: <file>\n---\nLook at $1.")
    async with (
        ScriptedModel() as server,
        running(*MM, "--base-url", server.url, env=mm_environment(tmp_path / "home")) as mm,
    ):
        session = await mm.new_session(str(tmp_path))
        await mm.client.until(lambda: bool(mm.client.updates.get(session)))
        commands = {one.name: one for one in mm.client.updates[session][0].available_commands}
        assert (commands["look"].description, commands["look"].input.root.hint) == ("Looks", "<file>")
        assert "skill:commit" in commands
        await mm.prompt(session, "/look a.py")
        assert said(server) == ["Look at a.py."]
