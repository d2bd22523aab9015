"""Room in the context window, as a person and the server see it: requests, history, what is said."""

from __future__ import annotations

import asyncio
import itertools
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minime_agent.config.check import convert
from minime_agent.config.settings import Guards
from minime_agent.engine.answer import Answer
from minime_agent.engine.chunks import CallDelta, Choice, Chunk, Delta, FunctionDelta
from minime_agent.engine.errors import ContextOverflowError, Stuck
from minime_agent.engine.messages import Message, user
from minime_agent.engine.recorder import Recorder
from minime_agent.engine.session import Session
from minime_agent.store.sessions import SessionStore
from minime_agent.ui.events import CompactionEnd, CompactionStart, Event, Notice
from tests.recording_sink import RecordingSink
from tests.scripted_model import Call, Reply, ScriptedModel, Stall, Status, Text, Usage
from tests.unit.minime_agent.compact.histories import call, check
from tests.unit.minime_agent.engine.conftest import Talk

LINES = Call("bash", {"command": "seq -f 'a line of output %g' 150"})
"""About 1,000 tokens."""
LONG = Text("a long answer, word by word. " * 120)
"""About 1,000 tokens."""
TOO_LARGE = Status(
    400,
    body=json.dumps(
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size",
                "type": "exceed_context_size_error",
            }
        }
    ).encode(),
)


def messages(server: ScriptedModel, number: int = -1) -> list[dict[str, Any]]:
    return server.chats[number]["messages"]


def is_summary(body: dict[str, Any]) -> bool:
    return body["messages"][0]["content"].startswith("You write the notes")


async def said(session: Session, *questions: str) -> RecordingSink:
    """Asks one question after the other; gives what there was to see of the last."""
    sink = RecordingSink()
    for question in questions:
        sink = RecordingSink()
        await session.prompt(question, sink)
    return sink


async def test_old_outputs_are_left_out_all_at_once_when_little_room_is_left(talk: Talk) -> None:
    turns = [step for n in range(5) for step in ([LINES], [Text(f"done {n}")])]
    server, session = await talk(turns, contextWindow=6000)
    await said(session, "one", "two", "three")
    assert not any("left out" in json.dumps(body) for body in server.chats)
    sink = await said(session, "four")
    outputs = [message["content"] for message in messages(server) if message["role"] == "tool"]
    stub = (
        """[output of "seq -f 'a line of output %g' 150" left out: 150 lines; run it again if you need it]"""
    )
    assert [output == stub for output in outputs] == [True, True, False, False]
    [start], [end] = sink.of(CompactionStart), sink.of(CompactionEnd)
    assert (start.reason, start.window, start.summarising) == ("threshold", 6000, False)
    assert len(end.masked) == 2
    assert end.tokens_after < end.tokens_before - 1500
    assert end.sentence.startswith("2 old tool outputs left out; ")
    await said(session, "five")
    before, after = (body["messages"] for body in server.chats[-2:])
    assert after[: len(before)] == before


async def test_a_summary_comes_when_masking_is_not_enough(talk: Talk) -> None:
    replies = [[LONG], [LONG], [LONG], [LONG], [Text("Goal: the first things")], [Text("five")]]
    server, session = await talk(replies, contextWindow=6000)
    await said(session, "one", "two", "three", "four")
    sink = await said(session, "five")
    request = server.chats[-2]
    assert is_summary(request)
    assert "tools" not in request
    assert request["chat_template_kwargs"] == {"enable_thinking": False}
    assert request["max_tokens"] == 750
    assert "Person: one" in request["messages"][1]["content"]
    assert "Person: four" not in request["messages"][1]["content"]
    now = messages(server)
    assert [m["role"] for m in now] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert now[1]["content"].endswith("Goal: the first things")
    assert (now[3]["content"], now[5]["content"]) == ("four", "five")
    assert (sink.of(CompactionStart)[0].summarising, sink.of(CompactionEnd)[0].summary) == (
        True,
        "Goal: the first things",
    )
    assert "older turns summarised" in sink.of(CompactionEnd)[0].sentence
    assert sink.text == "five"


async def test_what_the_server_counts_is_believed_where_it_is_more(talk: Talk) -> None:
    replies = [[LINES], [Text("1"), Usage(prompt=5500)], [Text("2")], [Text("3")]]
    _, session = await talk(replies, contextWindow=6000)
    assert len((await said(session, "one", "two", "three")).of(CompactionEnd)) == 1


async def test_a_count_that_cannot_be_true_is_not_believed(talk: Talk) -> None:
    replies = [[LINES], [Text("1"), Usage(prompt=1_000_000)], [Text("2")], [Text("3")]]
    _, session = await talk(replies, contextWindow=6000)
    assert not (await said(session, "one", "two", "three")).of(CompactionEnd)


@pytest.mark.parametrize("reply", [[Text(" \n")], Status(500, "no"), [Text("far too long " * 2000)]])
async def test_a_summary_that_fails_is_said_once_and_loses_nothing(talk: Talk, reply: Reply) -> None:
    replies = [[LONG], [LONG], [LONG], [LONG], reply, [Text("five")], [Text("six")]]
    server, session = await talk(replies, contextWindow=6000)
    await said(session, "one", "two", "three", "four")
    sink = await said(session, "five")
    [end] = sink.of(CompactionEnd)
    assert end.sentence.startswith("no summary was made: ")
    assert [m["content"] for m in messages(server) if m["role"] == "user"] == [
        "one",
        "two",
        "three",
        "four",
        "five",
    ]
    assert not (await said(session, "six")).of(CompactionEnd)
    assert sum(map(is_summary, server.chats)) == 1


async def test_former_notes_stay_word_by_word(talk: Talk) -> None:
    replies = [[LONG], [LONG], [Text("first notes")], [LONG], [LONG], [Text("second notes")], [Text("ok")]]
    server, session = await talk(replies)
    await said(session, "one", "two")
    await session.compact(RecordingSink())
    await said(session, "three", "four")
    await session.compact(RecordingSink(), "mind the tests")
    assert "mind the tests" in messages(server)[1]["content"]
    await said(session, "five")
    assert "first notes\n\n[and then]\nsecond notes" in messages(server)[1]["content"]
    check(session.history)


@pytest.mark.parametrize("told", [8192, 0, 100_000])
async def test_the_server_refuses_and_the_turn_goes_on_whatever_window_was_told(
    talk: Talk, told: int
) -> None:
    replies = [[LONG], [LONG], [LONG], TOO_LARGE, [Text("notes")], [Text("there")]]
    server, session = await talk(None, ScriptedModel(replies, window=told))
    await said(session, "one", "two", "three")
    sink = await said(session, "four")
    assert sink.text == "there"
    assert [event.reason for event in sink.of(CompactionEnd)] == ["overflow"]
    assert "is too large for the model: summarising" in sink.of(CompactionStart)[0].sentence
    assert [m["content"] for m in messages(server) if m["role"] == "user"][1:] == ["three", "four"]


async def test_in_one_long_turn_the_older_outputs_give_way(talk: Talk) -> None:
    server, session = await talk([[LINES], [LINES], [LINES], TOO_LARGE, [Text("there")]], contextWindow=6000)
    assert (await said(session, "one")).text == "there"
    outputs = [message["content"] for message in messages(server) if message["role"] == "tool"]
    assert ["left out" in output for output in outputs] == [True, True, False]


async def test_before_an_answer_would_be_cut_the_running_turn_gives_way(talk: Talk) -> None:
    server, session = await talk([*([LINES] for _ in range(5)), [Text("there")]], contextWindow=6000)
    sink = await said(session, "one")
    assert sink.text == "there"
    assert [event.reason for event in sink.of(CompactionEnd)] == ["threshold"]
    outputs = [message["content"] for message in messages(server) if message["role"] == "tool"]
    assert ["left out" in output for output in outputs] == [True, True, True, True, False]


async def test_a_second_refusal_ends_the_turn_in_words(talk: Talk) -> None:
    _, session = await talk([[LONG], [LONG], [LONG], TOO_LARGE, [Text("notes")], TOO_LARGE])
    await said(session, "one", "two", "three")
    with pytest.raises(ContextOverflowError, match="larger than the model's context window"):
        await said(session, "four")
    check(session.history)
    assert [m.content for m in session.history if m.role == "user"][1:] == ["three"]


async def test_a_request_is_refused_twice_at_most(talk: Talk) -> None:
    replies = [
        [LONG],
        [LONG],
        [LONG],
        [LINES],
        [LINES],
        TOO_LARGE,
        [Text("notes")],
        TOO_LARGE,
        [Text("never")],
    ]
    server, session = await talk(replies)
    await said(session, "one", "two", "three")
    with pytest.raises(ContextOverflowError):
        await said(session, "four")
    assert len(server.chats) == 8


async def test_little_is_not_worth_reading_the_whole_prompt_again(talk: Talk) -> None:
    few = Call("bash", {"command": "seq 100 150"})
    turns = [step for call in (few, LINES, LINES, LINES) for step in ([call], [Text("done")])]
    server, session = await talk(turns, contextWindow=3700, maxOutput=16000, tools=["-read_skill"])
    assert not (await said(session, "one", "two", "three")).of(CompactionEnd)
    size = len(server.requests[-1].raw) / 3.5
    assert size > 0.75 * 3700
    [end] = (await said(session, "four")).of(CompactionEnd)
    assert len(end.masked) == 2


async def test_no_id_comes_twice_after_messages_are_gone() -> None:
    history = [user("q")] * 6 + [call("call_7_0")]
    answer = Answer(RecordingSink(), Guards())
    delta = Delta(tool_calls=[CallDelta(function=FunctionDelta("bash", "{}"))])
    await answer.take(Chunk(choices=[Choice(delta)]))
    assert [call.id for call in answer.calls(history)] == ["call_7_1"]


async def test_a_window_smaller_than_the_first_question_is_said(talk: Talk) -> None:
    server, session = await talk([TOO_LARGE])
    with pytest.raises(ContextOverflowError, match="only the larger window helps, or fewer tools"):
        await said(session, "one")
    assert (len(server.chats), session.history) == (1, [])


async def test_switched_off(talk: Talk) -> None:
    server, session = await talk(
        [[LONG], [LONG], [LONG], TOO_LARGE], context={"enabled": False}, contextWindow=3000
    )
    await said(session, "one", "two", "three")
    with pytest.raises(ContextOverflowError):
        await said(session, "four")
    assert len(server.chats) == 4


async def test_without_masks_there_are_summaries(talk: Talk) -> None:
    turns = [step for n in range(3) for step in ([LINES], [Text(f"done {n}")])]
    server, session = await talk(
        [*turns, [LINES], [Text("notes")], [Text("done")]], context={"mask": False}, contextWindow=6000
    )
    await said(session, "one", "two", "three", "four")
    assert sum(map(is_summary, server.chats)) == 1
    assert "left out:" not in json.dumps(messages(server))


async def test_messages_count_where_nobody_tells_the_window(talk: Talk) -> None:
    replies = [[Text(str(n))] for n in range(40)]
    server, session = await talk(
        [*replies, [Text("n")], [Text("ok")]], ScriptedModel([*replies, [Text("n")], [Text("ok")]], window=0)
    )
    for n in range(40):
        assert not (await said(session, f"question {n} " * 9)).of(CompactionStart)
    assert (await said(session, "last")).of(CompactionEnd)[0].summary == "n"
    assert len(messages(server)) == 6


async def test_nothing_to_compact_is_said(talk: Talk) -> None:
    server, session = await talk([])
    sink = RecordingSink()
    await session.compact(sink)
    assert [notice.text for notice in sink.of(Notice)] == ["there is nothing to make room of"]
    assert server.chats == []


async def test_stopping_a_summary_loses_nothing(talk: Talk) -> None:
    server, session = await talk([[LONG], [LONG], [LONG], [Text("no"), Stall()], [Text("ok")]])
    await said(session, "one", "two", "three")
    sink = RecordingSink()
    task = asyncio.create_task(session.compact(sink))
    await server.chat_arrived(4)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sink.of(CompactionEnd)[0].error == "it was stopped"
    assert len(session.history) == 6
    assert (await said(session, "four")).text == "ok"


async def test_a_repeated_call_is_not_new_after_a_compaction(talk: Talk) -> None:
    again = [Call("bash", {"command": "echo same"})]
    _, session = await talk(
        [[Text("hello " * 200)], again, again, again, [Text("ok")], [Text("n")], again, again, again]
    )
    await said(session, "one", "two")
    await session.compact(RecordingSink())
    with pytest.raises(Stuck):
        await said(session, "three")


async def test_the_summary_has_twice_the_time(talk: Talk) -> None:
    _, session = await talk([[LONG], [LONG], [LONG], [Text("no"), Stall()]], watchdogTimeout=0.2)
    await said(session, "one", "two", "three")
    sink = RecordingSink()
    await session.compact(sink)
    assert "sent nothing more for 0.4 s" in sink.of(CompactionEnd)[0].sentence


@pytest.mark.parametrize(
    "error",
    [
        {"message": "unknown field", "param": "chat_template_kwargs"},
        {"message": "unknown field: chat_template_kwargs"},
    ],
)
async def test_a_server_that_knows_no_thinking_switch_is_asked_without(
    talk: Talk, error: dict[str, str]
) -> None:
    body = json.dumps({"error": error}).encode()
    server, session = await talk([[LONG], [LONG], [LONG], Status(400, body=body), [Text("notes")]])
    await said(session, "one", "two", "three")
    await session.compact(RecordingSink())
    assert "chat_template_kwargs" not in server.chats[-1]
    assert session.history[0].content is not None
    assert session.history[0].content.endswith("notes")


@dataclass
class RandomModel(ScriptedModel):
    """Reads files and answers as a random session says; writes notes when asked for them."""

    turns: list[tuple[list[int], int]] = field(default_factory=list)

    def _pick(self, body: dict[str, Any]) -> Reply:
        if is_summary(body):
            return [Text("notes on what was said")]
        conversation = body["messages"]
        asked = max(n for n, message in enumerate(conversation) if message["role"] == "user")
        files, answer = self.turns[int(conversation[asked]["content"].split()[0])]
        done = sum(message["role"] == "assistant" for message in conversation[asked:])
        if done < len(files):
            return [Call("read_file", {"path": f"{files[done]}.txt"})]
        return [Text("word " * answer)]


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 60), max_size=4), st.integers(1, 900)), min_size=2, max_size=8
    ),
    st.sampled_from([0, 2500, 4000, 8000]),
    st.booleans(),
)
def test_requests_are_valid_and_differ_by_what_was_appended_but_for_compactions(
    turns: list[tuple[list[int], int]], window: int, mask: bool
) -> None:
    asyncio.run(_random_session(turns, window, mask=mask))


async def _random_session(turns: list[tuple[list[int], int]], window: int, *, mask: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        for size in {size for files, _ in turns for size in files}:
            (Path(name) / f"{size}.txt").write_text(f"some line of {size}\n" * size)
        async with RandomModel(turns=turns, window=window) as server:
            changed: set[int] = set()

            def watch(event: Event) -> None:
                if isinstance(event, CompactionEnd) and (event.masked or event.summary):
                    assert event.tokens_after < event.tokens_before
                    changed.add(len(server.chats))

            session = Session(
                convert({"baseURL": server.url, "context": {"mask": mask}, "guards": {"loop": False}}),
                Path(name),
            )
            for n in range(len(turns)):
                await session.prompt(f"{n} is the question", RecordingSink(watch=watch))
            await session.close()
            chats = [(n, body["messages"]) for n, body in enumerate(server.chats) if not is_summary(body)]
    for _, conversation in chats:
        check([msgspec.convert(message, Message) for message in conversation[1:]])
    for (_, before), (number, after) in itertools.pairwise(chats):
        assert number in changed or after[: len(before)] == before


async def test_a_conversation_in_which_room_was_made_comes_back_as_it_was_sent(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "sessions")
    replies: list[Reply] = [
        [LINES],
        [Text("a")],
        [LINES],
        [Text("b")],
        [LINES],
        [Text("c")],
        [Text("Goal: go")],
    ]
    async with ScriptedModel(replies, window=4096) as server:
        values = convert({"baseURL": server.url, "model": "scripted", "maxOutput": 4000})
        file = store.new(tmp_path)
        session = Session(values, tmp_path, recorder=Recorder(file))
        for question in ("one", "two", "three"):
            await session.prompt(question, RecordingSink())
        await session.compact(RecordingSink())
        before = session.history
        path = file.path
        session.switch(None)
        await session.close()
        again = Recorder(store.open(path))
        assert again.history == before
        assert before[0].content is not None
        assert before[0].content.endswith("Goal: go")
