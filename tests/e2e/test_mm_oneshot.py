"""`mm -p`, as a person or a script runs it, against a scripted server."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.conftest import RunMm, StartMm
from tests.processes import gone
from tests.scripted_model import (
    Call,
    Cut,
    End,
    ErrorEvent,
    Finish,
    Reasoning,
    Reply,
    ScriptedModel,
    Stall,
    Status,
    Text,
)


async def test_answer_alone_on_stdout(run_mm: RunMm) -> None:
    async with ScriptedModel() as server:
        ran = await run_mm("-p", "hello", "--base-url", server.url)
    assert (ran.code, ran.out, ran.err) == (0, "Hello from the scripted model.\n", "")


async def test_tool_turn(run_mm: RunMm, tmp_path: Path) -> None:
    async with ScriptedModel() as server:
        ran = await run_mm("-p", "RUNTOOL=`echo made > made.txt; cat made.txt`", "--base-url", server.url)
    assert (ran.code, ran.out) == (0, "The tool said: made. Done.\n")
    assert ran.err == "mm: bash: echo made > made.txt; cat made.txt\n"
    assert (tmp_path / "folder" / "made.txt").read_text() == "made\n"


async def test_tools_are_chosen(run_mm: RunMm, tmp_path: Path) -> None:
    steps = [{"content": "look", "status": "completed"}, {"content": "act", "status": "pending"}]
    (tmp_path / "folder" / "a.txt").write_text("needle\n")
    calls = [Call("plan", {"steps": steps}), Call("grep", {"pattern": "needle"})]
    async with ScriptedModel([*([call] for call in calls), [Text("done")]]) as server:
        ran = await run_mm("-p", "x", "--base-url", server.url, "--tools=+grep,-bash,-*_file")
        offered = [tool["function"]["name"] for tool in server.chats[0]["tools"]]
        found = server.chats[-1]["messages"][-1]["content"]
    assert offered == ["grep", "plan", "read_skill"]
    assert found == "a.txt:1: needle"
    assert ran.err.splitlines() == [
        "mm: plan: Plan",
        "mm:   ☑ look",
        "mm:   ☐ act",
        "mm: grep: Search needle",
    ]
    wrong = await run_mm("-p", "x", "--tools", "raed")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.startswith(
        "mm: --tools: tools: there is no tool 'raed' (did you mean read?); there are bash, "
    )


async def test_text_through_a_pipe(run_mm: RunMm) -> None:
    async with ScriptedModel() as server:
        for arguments, text in (((), "piped"), (("-p",), "piped"), (("-p", "asked"), "asked\n\npiped")):
            ran = await run_mm(*arguments, "--base-url", server.url, stdin="piped\n")
            assert ran.code == 0
            assert server.chats[-1]["messages"][-1]["content"] == text


async def test_pipe_that_stays_open_and_silent_does_not_hold_the_question(start_mm: StartMm) -> None:
    async with ScriptedModel() as server:
        running = await start_mm("-p", "hello", "--base-url", server.url, pipe=True)
        assert (await server.chat_arrived())["messages"][-1]["content"] == "hello"
        assert await running.process.wait() == 0


async def test_json(run_mm: RunMm) -> None:
    async with ScriptedModel() as server:
        ran = await run_mm("-p", "hello", "--base-url", server.url, "--output-format", "json")
    result = json.loads(ran.out)
    assert result["ok"] is True
    assert result["text"] == "Hello from the scripted model."
    assert result["usage"]["prompt_tokens"] == 100


async def test_stream_json(run_mm: RunMm) -> None:
    async with ScriptedModel() as server:
        ran = await run_mm("-p", "RUNTOOL", "--base-url", server.url, "--output-format", "stream-json")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    kinds = [row["type"] for row in rows]
    told = [kind for kind in kinds if kind not in ("message_update", "usage", "tool_execution_update")]
    message = ["message_start", "message_end"]
    tool = ["tool_execution_start", "tool_execution_end"]
    assert told == [
        *("session", "agent_start", "turn_start", *message, *message, *tool, "turn_end"),
        *("turn_start", *message, "turn_end", "agent_end", "result"),
    ]
    updates = [row["assistantMessageEvent"] for row in rows if row["type"] == "message_update"]
    said = "".join(update["delta"] for update in updates if update["type"] == "text_delta")
    assert said.startswith("I will run a command.")
    assert [update["type"] for update in updates if "text_" in update["type"]][-1] == "text_end"
    ended = [row["message"] for row in rows if row["type"] == "message_end"]
    assert [one["role"] for one in ended] == ["user", "assistant", "assistant"]
    assert ended[1]["content"][-1]["name"] == "bash"
    assert ended[2]["stopReason"] == "end_turn"
    assert rows[-1]["stop_reason"] == "end_turn"


OK, LS = Text("ok"), Call("bash", {"command": "echo same"})
UNREADABLE = '{"name": "bash", "arguments": {oops}}'
ENDINGS: dict[str, tuple[Sequence[Reply], int, str]] = {
    "an answer": ([[Text("done")]], 0, ""),
    "a call as text": (
        [[Text('{"name": "bash", "arguments": {"command": "echo hey"}}')], [OK]],
        0,
        "",
    ),
    "a call that cannot be read": (
        [[Text('{"name": "bash", "arguments": {oops}}')], [LS], [OK]],
        0,
        "",
    ),
    "a call as text that is cut": (
        [[Text("<function=bash><parameter=command>echo ha"), Finish("length")], [LS], [OK]],
        0,
        "",
    ),
    "a call as text without end": (
        [[Text(piece) for piece in ["<tool_call>", *["ab cd "] * 99]], [LS], [OK]],
        0,
        "",
    ),
    "nested without end": (
        [[Call("bash", '{"command": ' + "[" * 5000 + "}", piece=9000)]] * 3,
        1,
        "not valid JSON, 3 times",
    ),
    "a call that cannot be made one": ([[Text(UNREADABLE)]] * 3, 1, "can't be read"),
    "bad JSON once": ([[Call("bash", "{oops}")], [OK]], 0, ""),
    "bad JSON for ever": ([[Call("bash", "{oops}")]] * 3, 1, "that are not valid JSON, 3 times"),
    "a cut call for ever": ([[Call("bash", '{"comm'), Finish("length")]] * 3, 1, "raise sampling.max_tokens"),
    "an unknown tool": ([[Call("teleport", {})], [OK]], 0, ""),
    "arguments without end": ([[Call("bash", '{"command": "' + "ab cd " * 99)]] * 3, 1, "do not end"),
    "the same call": ([[LS]] * 6, 1, "repeats one call without any effect"),
    "a cut answer": ([[Text("half"), Finish("length")]], 1, ""),
    "an empty answer": ([[]], 1, "empty answer"),
    "only reasoning": (
        [[Reasoning("hm"), Finish("length")]],
        1,
        "for its reasoning: raise sampling.max_tokens",
    ),
    "an error in the stream": ([[Text("He"), ErrorEvent("no memory")]] * 2, 1, "no memory"),
    "an end without a reason": ([[Text("He"), End()]], 1, "ended the answer in the middle"),
    "a broken connection": ([[Text("He"), Cut()]], 1, "ended the answer in the middle"),
    "no key": ([Status(401)], 1, "401: the API key is missing; set MM_API_KEY"),
    "a context overflow": (
        [Status(400, "request (9000 tokens) exceeds the available context size (8192 tokens)")],
        1,
        "larger than the model's context window",
    ),
    "no model in memory": (
        [Status(400, "No models loaded. Please load a model")],
        1,
        "has no model: load one",
    ),
    "a page of the web": (
        [Status(200, body=b"<html>router</html>", kind="text/html")],
        1,
        "does not answer like a model server: the address usually ends in /v1",
    ),
    "a failure of the server": ([Status(500, "boom")], 1, "answered 500: boom"),
    "output that the server cannot read": (
        [Status(500, "expected peg-native format")] * 3,
        1,
        "could not read",
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
async def test_exit_code_is_0_only_on_success_and_the_reason_is_said(run_mm: RunMm, ending: str) -> None:
    replies, code, said = ENDINGS[ending]
    async with ScriptedModel(replies) as server:
        ran = await run_mm("-p", "hello", "--base-url", server.url)
    assert ran.code == code, ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) <= 12


async def test_a_request_that_is_too_large_is_made_smaller(run_mm: RunMm) -> None:
    too_large = Status(400, "the request exceeds the available context size")
    work = [Call("bash", {"command": "seq 1000"})]
    async with ScriptedModel([work, work, too_large, [Text("done")]]) as server:
        ran = await run_mm("-p", "go", "--base-url", server.url, "--output-format", "stream-json")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.code, rows[-1]["text"]) == (0, "done")
    start, end = (row for row in rows if row["type"].startswith("compaction"))
    assert (start["type"], start["reason"]) == ("compaction_start", "overflow")
    assert (end["type"], end["reason"], len(end["masked"])) == ("compaction_end", "overflow", 1)
    assert end["tokens_before"] > end["tokens_after"]
    assert "mm: 1 old tool output left out; " in ran.err


async def test_a_request_that_stays_too_large_is_an_error_in_words(run_mm: RunMm) -> None:
    async with ScriptedModel([Status(400, "the request exceeds the available context size")]) as server:
        ran = await run_mm("-p", "go", "--base-url", server.url)
    assert (ran.code, ran.out) == (1, "")
    assert "larger than the model's context window" in ran.err
    assert "only the larger window helps" in ran.err


async def test_error_as_json(run_mm: RunMm) -> None:
    async with ScriptedModel([Status(401)]) as server:
        ran = await run_mm("-p", "hello", "--base-url", server.url, "--output-format", "json")
    assert (ran.code, json.loads(ran.out)["ok"]) == (1, False)


async def test_server_that_is_down(run_mm: RunMm) -> None:
    async with ScriptedModel() as server:
        url = server.url
    ran = await run_mm("-p", "hello", "--base-url", url)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"mm: no model server answers at {url} (server): check that it runs and that --base-url is right\n"
    )


async def test_model_that_is_not_there(run_mm: RunMm) -> None:
    async with ScriptedModel(models=("qwen", "gemma")) as server:
        ran = await run_mm("-p", "hello", "--base-url", server.url, "--model", "qwem")
    assert ran.code == 1
    assert "no model 'qwem' (did you mean qwen?); it has: qwen, gemma. Choose one with --model" in ran.err


async def test_no_question_and_wrong_settings_are_usage_errors(run_mm: RunMm, tmp_path: Path) -> None:
    assert (await run_mm("-p", "")).code == 2
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("modle: x\n")
    for arguments, environment in ((("--config", str(wrong)), {}), ((), {"MM_CONFIG": str(wrong)})):
        ran = await run_mm("-p", "hello", *arguments, **environment)
        assert ran.code == 2
        assert ran.err == f"mm: {wrong}, line 1: modle: there is no such setting (did you mean model?)\n"
    assert "there is no folder" in (await run_mm("-p", "x", "--cwd", str(tmp_path / "none"))).err


async def test_key_from_the_environment(run_mm: RunMm) -> None:
    async with ScriptedModel(api_key="secret") as server:
        assert (await run_mm("-p", "x", "--base-url", server.url, MM_API_KEY="secret")).code == 0
        ran = await run_mm("-p", "x", "--base-url", server.url, MM_API_KEY="wrong")
    assert "401: the API key is wrong or not allowed" in ran.err


async def test_no_proxy_of_the_environment_is_used(run_mm: RunMm) -> None:
    async with ScriptedModel() as server:
        ran = await run_mm("-p", "x", "--base-url", server.url, HTTP_PROXY="http://127.0.0.1:9", no_proxy="")
    assert ran.code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("name", "code"), [("INT", 130), ("TERM", 143), ("HUP", 129), ("KILL", -9)])
async def test_signal_ends_the_turn_and_every_process_of_it(
    start_mm: StartMm, tmp_path: Path, name: str, code: int
) -> None:
    command = "sleep 600 & echo $! > child; echo up; wait"
    async with ScriptedModel([[Call("bash", {"command": command})]]) as server:
        running = await start_mm("-p", "go", "--base-url", server.url, "--output-format", "stream-json")
        assert running.process.stdout is not None
        while "tool_execution_update" not in (await running.process.stdout.readline()).decode():
            pass
        running.process.send_signal(signal.Signals[f"SIG{name}"])
        ran = await running.ended()
    assert ran.code == code
    assert "Traceback" not in ran.err
    await gone(int((tmp_path / "folder" / "child").read_text()))


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
async def test_interrupt_while_the_model_is_silent(start_mm: StartMm) -> None:
    async with ScriptedModel([[Stall()]]) as server:
        running = await start_mm("-p", "go", "--base-url", server.url)
        await server.chat_arrived()
        running.process.send_signal(signal.SIGINT)
        ran = await running.ended()
    assert (ran.code, ran.out, ran.err) == (130, "", "mm: interrupted\n")


async def test_reader_that_leaves(start_mm: StartMm) -> None:
    async with ScriptedModel() as server:
        running = await start_mm(
            "-p", "CHUNKS=20000", "--base-url", server.url, "--output-format", "stream-json"
        )
        assert running.process.stdout is not None
        assert running.process.stderr is not None
        await running.process.stdout.readline()
        running.process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined] (no public way)
        assert await running.process.wait() == 1
        assert b"Traceback" not in await running.process.stderr.read()


async def test_version_and_help(run_mm: RunMm) -> None:
    assert (await run_mm("--version")).out.startswith("mm ")
    assert "--output-format" in (await run_mm("--help")).out
    assert (await run_mm("--modle", "x")).code == 2
