"""Files that were damaged: what can be read is read, nothing raises, nothing is overwritten."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minime_agent.engine.restore import restored
from minime_agent.store.entries import MessageEntry, Text, UserMessage, decode, encode
from minime_agent.store.errors import SessionError
from minime_agent.store.sessions import SessionStore
from minime_agent.store.tree import parse, said
from tests.unit.minime_agent.store.test_sessions import say

LINES = (
    b'{"type":"session","id":"01A","cwd":"/f","timestamp":"t","version":1}',
    (
        b'{"type":"message","id":"a","parentId":null,"timestamp":"t",'
        b'"message":{"role":"user","content":[{"type":"text","text":"one"}]}}'
    ),
    (
        b'{"type":"message","id":"b","parentId":"a","timestamp":"t",'
        b'"message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ls","arguments":"{}"}]}}'
    ),
    (
        b'{"type":"message","id":"c","parentId":"b","timestamp":"t","message":{"role":"toolResult",'
        b'"toolCallId":"c","toolName":"ls","content":[{"type":"text","text":"x"}]}}'
    ),
    (
        b'{"type":"message","id":"d","parentId":"c","timestamp":"t",'
        b'"message":{"role":"assistant","content":[{"type":"text","text":"done"}]}}'
    ),
)


def test_a_damaged_line_costs_itself_alone() -> None:
    for place in range(1, len(LINES)):
        lines = list(LINES)
        lines[place] = lines[place][:-20]
        tree = parse(b"\n".join(lines), "01A")
        assert tree.damaged == 1
        assert len(tree.path(tree.leaf)) == 3


def test_a_damaged_header_leaves_the_conversation() -> None:
    tree = parse(b"\n".join((b"\0" * 20, *LINES[1:])), "01NAME")
    assert (tree.header.id, tree.header.cwd, tree.damaged) == ("01NAME", "", 1)
    assert len(tree.path(tree.leaf)) == 4


def test_a_kind_of_entry_that_is_not_known_keeps_its_place() -> None:
    unknown = b'{"type":"branch_summary","id":"s","parentId":"a","timestamp":"t","fromId":"x"}'
    tree = parse(b"\n".join((*LINES[:2], unknown, LINES[2].replace(b'"a"', b'"s"'))), "01A")
    assert ([entry.id for entry in tree.path(tree.leaf)], tree.damaged) == (["a", "s", "b"], 0)


def test_the_next_line_is_safe_from_one_that_was_cut(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    file = store.new(tmp_path)
    say(file, "one")
    say(file, "two")
    file.close()
    cut = file.path.read_bytes()[:-30]
    file.path.write_bytes(cut)
    again = store.open(file.path)
    say(again, "three")
    again.close()
    assert file.path.read_bytes().startswith(cut)
    tree = store.read(file.path)
    assert [said(entry) for entry in tree.path(tree.leaf)] == ["one", "three"]
    assert tree.damaged == 1


WRITER = """
import itertools, sys
from pathlib import Path
from minime_agent.store.sessions import SessionStore
from tests.unit.minime_agent.store.test_sessions import say
file = SessionStore(Path(sys.argv[1])).new(Path("/"))
for number in itertools.count():
    say(file, f"{number} " + "x" * 3_000_000)
    print(number, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_kill_9_in_the_middle_of_a_write_costs_at_most_that_line(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    for rounds in (1, 3, 5):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            for _ in range(rounds):
                writer.stdout.readline()
            os.kill(writer.pid, signal.SIGKILL)
            printed = rounds + len(writer.stdout.read().split())
        row = store.list()[0]
        tree = store.read(row.path)
        whole = [said(entry).split()[0] for entry in tree.path(tree.leaf)]
        assert whole[:printed] == [str(number) for number in range(printed)]
        assert len(whole) - printed in (0, 1)
        store.delete(row.path)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_raise(data: bytes) -> None:
    tree = parse(data, "01X")
    restored(tree.path(tree.leaf))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.sampled_from((b"", b'\n{"type":"session_info"', b'"name":"x"}\n')))
def test_no_file_stops_the_list_or_is_changed_by_opening_it(tmp_path: Path, data: bytes, more: bytes) -> None:
    path = tmp_path / "folder-0" / "01X.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data + more + data)
    store = SessionStore(tmp_path)
    assert [row.id for row in store.list()] == ["01X"]
    store.open(path).close()
    assert path.read_bytes() == data + more + data


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from((*LINES, b"", b"{}", b"[]", b"null", b'{"type":"message"}')), max_size=8),
    st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=3)), max_size=4),
)
def test_no_damage_raises_and_what_is_restored_is_valid(
    lines: list[bytes], damage: list[tuple[int, bytes]]
) -> None:
    data = b"\n".join(lines)
    for place, piece in damage:
        data = data[:place] + piece + data[place + len(piece) :]
    try:
        tree = parse(data, "01X")
    except SessionError as error:
        assert "newer mm" in str(error)  # noqa: PT017 (most examples raise nothing)
        return
    messages = [row.message for row in restored(tree.path(tree.leaf))]
    calls = [call.id for message in messages for call in message.tool_calls]
    assert [message.tool_call_id for message in messages if message.role == "tool"] == calls
    if messages:
        assert messages[0].role == "user"
        assert messages[-1].role != "user"


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_is_one_line_and_comes_back(text: str) -> None:
    entry = MessageEntry(id="a", parent_id=None, timestamp="t", message=UserMessage((Text(text),)))
    line = encode(entry)
    assert line.count(b"\n") == 1
    assert decode(line) == entry
