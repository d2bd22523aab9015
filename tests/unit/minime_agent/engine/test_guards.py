"""What guards the loop, each as a person and a model see it; the scripted server plays the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from minime_agent.engine.errors import ModelError, Stuck
from minime_agent.ui.events import ComposingTool, ToolEnd, ToolStart
from tests.recording_sink import RecordingSink
from tests.scripted_model import Call, Cut, Finish, Reply, Status, Text
from tests.unit.minime_agent.engine.conftest import Talk

LS = {"name": "bash", "arguments": {"command": "echo hey"}}
SAID = json.dumps(LS)


def results(body: dict[str, Any]) -> list[str]:
    return [message["content"] for message in body["messages"] if message["role"] == "tool"]


# -- repetitions -----------------------------------------------------------------------------------


async def test_a_cycle_of_two_is_warned_of_and_then_ended(talk: Talk) -> None:
    pair: list[Reply] = [[Call("bash", {"command": "echo a"})], [Call("bash", {"command": "echo b"})]]
    server, session = await talk(pair * 6)
    with pytest.raises(Stuck, match="repeats"):
        await session.prompt("go", RecordingSink())
    told = results(server.chats[-1])
    assert [("LOOP_DETECTED" in text) for text in told] == [False] * 5 + [True] * 6


async def test_a_refused_edit_with_another_blank_is_the_same_refused_edit(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\n")
    replies: list[Reply] = [
        [Call("edit_file", {"path": "a.py", "edits": [{"old": "tree" + " " * n, "new": "x"}]})]
        for n in range(6)
    ]
    server, session = await talk(replies)
    with pytest.raises(Stuck):
        await session.prompt("go", RecordingSink())
    assert "LOOP_DETECTED" in results(server.chats[3])[-1]


async def test_different_work_is_no_loop(talk: Talk) -> None:
    replies: list[Reply] = [[Call("bash", {"command": f"echo {n % 4}{n}"})] for n in range(20)]
    server, session = await talk([*replies, [Text("done")]])
    assert (await session.prompt("go", RecordingSink())).text == "done"
    assert not any("LOOP_DETECTED" in text for text in results(server.chats[-1]))


async def test_after_a_warning_the_next_calls_are_warmer_and_then_it_cools(talk: Talk) -> None:
    same = [Call("bash", {"command": "echo a"})]
    other: list[Reply] = [[Call("bash", {"command": f"echo {n}"})] for n in range(3)]
    server, session = await talk([same, same, same, *other, [Text("done")]])
    await session.prompt("go", RecordingSink())
    assert [body["temperature"] for body in server.chats] == [0, 0, 0, 0.4, 0.4, 0, 0]


async def test_a_temperature_that_is_not_to_adapt_stays(talk: Talk) -> None:
    same = [Call("bash", {"command": "echo a"})]
    server, session = await talk([same, same, same, [Text("done")]], guards={"adaptiveTemperature": False})
    await session.prompt("go", RecordingSink())
    assert {body["temperature"] for body in server.chats} == {0}


async def test_a_new_conversation_forgets_what_was_repeated(talk: Talk) -> None:
    same = [Call("bash", {"command": "echo a"})]
    server, session = await talk([same, same, [Text("done")], same, [Text("done")]])
    await session.prompt("go", RecordingSink())
    session.switch(None)
    await session.prompt("go", RecordingSink())
    assert not any("LOOP_DETECTED" in text for text in results(server.chats[-1]))


# -- arguments without end -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("endless", "why"),
    [
        ('{"command": "' + "Greet 2023-06-15 " * 400, "repeat themselves"),
        ('{"command": "' + "".join(f"{n}," for n in range(80_000)), "longer than"),
    ],
)
async def test_arguments_without_end_are_broken_off_and_told(talk: Talk, endless: str, why: str) -> None:
    server, session = await talk([[Call("bash", endless, piece=500), Text("never read")], [Text("done")]])
    sink = RecordingSink()
    assert (await session.prompt("go", sink)).text == "done"
    assert why in results(server.chats[1])[0]
    assert server.chats[1]["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert "never read" not in sink.text
    if why == "repeat themselves":
        assert max(event.characters for event in sink.of(ComposingTool)) < len(endless) / 2


async def test_a_model_that_never_stops_writing_ends_the_turn_in_one_line(talk: Talk) -> None:
    endless = [Call("bash", '{"command": "' + "ab cd " * 200)]
    server, session = await talk([endless] * 3)
    with pytest.raises(ModelError, match="do not end, 3 times"):
        await session.prompt("go", RecordingSink())
    assert len(server.chats) == 3


async def test_a_long_call_that_is_no_pattern_is_run(talk: Talk, tmp_path: Path) -> None:
    content = "\n".join(f"line {n} of many {n * 7919}" for n in range(2000)) + "\n" + "=" * 200
    _, session = await talk([[Call("write_file", {"path": "a", "content": content})], [Text("done")]])
    await session.prompt("go", RecordingSink())
    assert (tmp_path / "a").read_text() == content


# -- names and arguments ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["shell", "functions.bash", "Bash", "run_command"])
async def test_a_slip_of_a_name_is_understood(talk: Talk, name: str) -> None:
    server, session = await talk([[Call(name, {"command": "echo hey"})], [Text("done")]])
    await session.prompt("go", RecordingSink())
    assert results(server.chats[1]) == ["hey"]


async def test_another_agents_shell_is_bash_only_with_a_command(talk: Talk) -> None:
    server, session = await talk([[Call("run", {"test": "test_a"})], [Text("ok")]])
    await session.prompt("go", RecordingSink())
    assert "there is no tool named 'run'; your tools are: bash" in results(server.chats[-1])[0]


async def test_a_slip_is_told_where_the_guard_is_off(talk: Talk) -> None:
    server, session = await talk(
        [[Call("shell", {"command": "echo hey"})], [Text("done")]], guards={"unknownTool": False}
    )
    await session.prompt("go", RecordingSink())
    assert "there is no tool named 'shell'" in results(server.chats[1])[0]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("bash", {"command": ["bash", "-lc", "echo hey"]}),
        ("bash", {"command": ["echo", "hey"]}),
        ("bash", {"script": "echo hey"}),
        ("bash", '"{\\"command\\": \\"echo hey\\"}"'),
        ("read_file", {"file_path": "hey.txt", "start": "1"}),
        ("read_file", {"filename": "hey.txt", "end": 1.0}),
    ],
)
async def test_arguments_with_one_meaning_are_put_right(
    talk: Talk, tmp_path: Path, name: str, arguments: dict[str, Any] | str
) -> None:
    (tmp_path / "hey.txt").write_text("hey\n")
    server, session = await talk([[Call(name, arguments)], [Text("done")]])
    await session.prompt("go", RecordingSink())
    assert "hey" in results(server.chats[1])[0]
    assert "error" not in results(server.chats[1])[0]


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "a", "old_string": "x", "new_string": "y"},
        {"path": "a", "edits": {"old": "x", "new": "y"}},
        {"file": "a", "edits": '[{"oldText": "x", "newText": "y"}]'},
        {"path": "a", "changes": [{"search": "x", "replace": "y"}]},
    ],
)
async def test_an_edit_in_the_words_of_other_agents_is_understood(
    talk: Talk, tmp_path: Path, arguments: dict[str, Any]
) -> None:
    (tmp_path / "a").write_text("x\n")
    _, session = await talk([[Call("edit_file", arguments)], [Text("done")]])
    await session.prompt("go", RecordingSink())
    assert (tmp_path / "a").read_text() == "y\n"


async def test_arguments_are_told_as_they_are_where_the_guard_is_off(talk: Talk) -> None:
    server, session = await talk(
        [[Call("bash", {"cmd": "echo hey"})], [Text("done")]], guards={"arguments": False}
    )
    await session.prompt("go", RecordingSink())
    assert "command is missing; expected {command: string, timeout?: number}" in results(server.chats[1])[0]


# -- calls written as text -------------------------------------------------------------------------

FORMS = {
    "tag": f"<tool_call>\n{SAID}\n</tool_call>",
    "fence": f"```json\n{SAID}\n```",
    "bare": SAID,
    "function with JSON": '<function=bash>{"command": "echo hey"}</function>',
    "function with parameters": (
        "<tool_call>\n<function=bash>\n<parameter=command>\necho hey\n</parameter>\n</function>\n</tool_call>"
    ),
    "Mistral": '[TOOL_CALLS]bash[ARGS]{"command": "echo hey"}',
    "Llama": '<|python_tag|>{"name": "bash", "parameters": {"command": "echo hey"}}',
    "flat": '{"name": "bash", "command": "echo hey"}',
    "a slip of the name": '{"name": "shell", "arguments": {"cmd": "echo hey"}}',
}


def in_pieces(text: str, size: int = 3) -> list[Text]:
    return [Text(text[at : at + size]) for at in range(0, len(text), size)]


@pytest.mark.parametrize("form", FORMS)
async def test_a_call_written_as_text_is_run_and_never_shown(talk: Talk, form: str) -> None:
    server, session = await talk([in_pieces(FORMS[form]), [Text("done")]])
    sink = RecordingSink()
    assert (await session.prompt("go", sink)).text == "done"
    assert sink.text == "done"
    assert results(server.chats[1]) == ["hey"]
    [call] = server.chats[1]["messages"][2]["tool_calls"]
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == (
        "bash",
        {"command": "echo hey"},
    )


async def test_several_calls_written_as_text_run_in_order(talk: Talk) -> None:
    two = "\n".join(
        f'<tool_call>{{"name": "bash", "arguments": {{"command": "echo {n}"}}}}</tool_call>' for n in (1, 2)
    )
    server, session = await talk([in_pieces(two), [Text("done")]])
    await session.prompt("go", RecordingSink())
    assert results(server.chats[1]) == ["1", "2"]


async def test_what_is_said_before_a_call_is_shown_and_kept(talk: Talk) -> None:
    server, session = await talk([in_pieces(f"I look.\n{FORMS['tag']}"), [Text("done")]])
    sink = RecordingSink()
    await session.prompt("go", sink)
    assert sink.text == "I look.\ndone"
    assert server.chats[1]["messages"][2]["content"] == "I look."
    assert results(server.chats[1]) == ["hey"]


@pytest.mark.parametrize(
    "answer",
    [
        '{"name": "Ada", "born": 1815}',
        '```json\n{"host": "localhost", "port": 80}\n```',
        "```python\nprint(1)\n```\nThat is all.",
        f"A call looks so:\n```json\n{SAID}\n```\nand nothing else.",
        f"Write `{FORMS['tag']}` to call.",
        "<b>bold</b> and <i>more",
        "{",
        '[1, 2, 3]\n\nare the "name" of it',
    ],
)
async def test_an_answer_that_is_no_call_is_shown_whole(talk: Talk, answer: str) -> None:
    server, session = await talk([in_pieces(answer)])
    sink = RecordingSink()
    assert (await session.prompt("go", sink)).text == answer
    assert sink.text == answer
    assert not sink.of(ToolStart)
    assert len(server.chats) == 1


async def test_json_with_the_name_of_a_tool_is_no_call(talk: Talk) -> None:
    package = json.dumps({"name": "plan", "version": "1.0", "steps": ["build"]})
    server, session = await talk([[Text(package)]])
    sink = RecordingSink()
    outcome = await session.prompt("show me such a file", sink)
    assert outcome.text == package
    assert not sink.of(ToolStart)
    assert len(server.chats) == 1


async def test_arguments_nested_without_end_are_told(talk: Talk) -> None:
    deep = '{"command": ' + "[" * 5000 + "]" * 5000 + "}"
    server, session = await talk(
        [[Call("bash", deep, piece=20_000)], [Text("ok")]], guards={"runaway": False}
    )
    assert (await session.prompt("go", RecordingSink())).text == "ok"
    assert "nested too deeply; nothing was run" in results(server.chats[-1])[0]


async def test_a_long_answer_in_json_is_shown_as_it_comes(talk: Talk) -> None:
    answer = json.dumps({f"key {n}": "value" for n in range(100)})
    seen: list[str] = []
    _, session = await talk([in_pieces(answer, 50)])
    sink = RecordingSink(watch=lambda event: seen.append(type(event).__name__))
    await session.prompt("go", sink)
    assert seen.count("TextDelta") > len(answer) / 50 / 2


async def test_a_call_as_text_is_text_where_the_guard_is_off(talk: Talk) -> None:
    _, session = await talk([in_pieces(SAID)], guards={"textCalls": False})
    assert (await session.prompt("go", RecordingSink())).text == SAID


# -- the call that can't miss ----------------------------------------------------------------------

BROKEN = '{"name": "bash", "arguments": {"command": echo hey}}'


async def test_a_call_that_cannot_be_read_is_asked_for_again_so_that_it_must_be_one(talk: Talk) -> None:
    server, session = await talk([in_pieces(BROKEN), [Call("bash", {"command": "echo hey"})], [Text("done")]])
    sink = RecordingSink()
    assert (await session.prompt("go", sink)).text == "done"
    assert sink.text == "done"
    forced = server.chats[1]
    assert forced["tool_choice"] == "required"
    assert forced["messages"][-1] == {"role": "assistant", "content": "<tool_call>\n"}
    assert forced["messages"][:-1] == server.chats[0]["messages"]
    assert "tool_choice" not in server.chats[2]
    assert results(server.chats[2]) == ["hey"]


async def test_a_call_written_as_text_without_end_is_broken_off_and_asked_for_again(talk: Talk) -> None:
    endless = [Text(piece) for piece in ["<tool_call>", *["ab cd "] * 60, "the end"]]
    server, session = await talk([endless, [Call("bash", {"command": "echo hey"})], [Text("ok")]])
    sink = RecordingSink()
    assert (await session.prompt("go", sink)).text == "ok"
    assert server.chats[1]["tool_choice"] == "required"
    assert sink.text == "ok"
    assert max(one.characters for one in sink.of(ComposingTool)) < 300


@pytest.mark.parametrize("closed", ["", "</parameter>"])
@pytest.mark.parametrize("finish", ["stop", "length"])
async def test_a_call_written_as_text_and_cut_is_never_run(
    talk: Talk, tmp_path: Path, finish: str, closed: str
) -> None:
    cut = f"<function=bash><parameter=command>touch half{closed}"
    whole = closed and finish == "stop"
    server, session = await talk(
        [[Text(cut), Finish(finish)], [Call("bash", {"command": "true"})], [Text("ok")]]
    )
    await session.prompt("go", RecordingSink())
    assert (tmp_path / "half").exists() == bool(whole)
    assert (server.chats[1].get("tool_choice") == "required") == (not whole)


async def test_a_server_without_templates_is_given_a_schema(talk: Talk) -> None:
    server, session = await talk([in_pieces(BROKEN), in_pieces(SAID), [Text("done")]], provider="openai")
    assert (await session.prompt("go", RecordingSink())).text == "done"
    schema = server.chats[1]["response_format"]["json_schema"]["schema"]
    assert {"name": schema["anyOf"][0]["properties"]["name"]} == {"name": {"enum": ["bash"]}}
    assert "tools" not in server.chats[1]
    assert results(server.chats[2]) == ["hey"]


async def test_what_cannot_be_made_a_call_is_shown_and_said(talk: Talk) -> None:
    refused: list[Reply] = [[Text("Well, "), Cut()], Status(400, "no such field")]
    _, session = await talk([in_pieces(BROKEN), *refused])
    sink = RecordingSink()
    with pytest.raises(ModelError, match="can't be read"):
        await session.prompt("go", sink)
    assert sink.text.endswith(BROKEN)
    assert [message.content for message in session.history] == ["go", BROKEN]


async def test_no_call_is_forced_where_the_guard_is_off(talk: Talk) -> None:
    server, session = await talk([in_pieces(BROKEN)], guards={"forcedCall": False})
    assert (await session.prompt("go", RecordingSink())).text == BROKEN
    assert len(server.chats) == 1


# -- what the server can't read --------------------------------------------------------------------

PEG = Status(500, "The model produced output that does not match the expected peg-native format")


async def test_output_that_the_server_cannot_read_is_told_to_the_model(talk: Talk) -> None:
    server, session = await talk([PEG, [Call("bash", {"command": "echo hey"})], PEG, [Text("done")]])
    assert (await session.prompt("go", RecordingSink())).text == "done"
    assert "could not be read by the server" in server.chats[1]["messages"][-1]["content"]
    assert server.chats[1]["messages"][-1]["content"].startswith("go\n\n")
    assert server.chats[3]["messages"][-1]["role"] == "user"


async def test_it_is_told_twice_at_most(talk: Talk) -> None:
    server, session = await talk([PEG] * 9)
    with pytest.raises(ModelError, match="could not read what the model wrote"):
        await session.prompt("go", RecordingSink())
    assert len(server.chats) == 3


async def test_a_failed_call_is_seen_as_failed(talk: Talk) -> None:
    sink = RecordingSink()
    _, session = await talk([[Call("nothing", {})], [Text("done")]])
    await session.prompt("go", sink)
    assert [end.failed for end in sink.of(ToolEnd)] == [True]
