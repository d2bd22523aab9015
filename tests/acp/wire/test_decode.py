"""What real peers send, and the protocol's own leniency: nothing unknown is an error, nothing escapes."""

from __future__ import annotations

import asyncio
import socket

import msgspec
import pytest

from minime_agent.acp.wire import content, handshake, options, services, sessions, tools, updates
from minime_agent.acp.wire.client_side import ClientHandlers, RemoteAgent
from minime_agent.acp.wire.decode import decode
from tests.acp.wire.conftest import Peer


def update(**fields: object) -> updates.SessionUpdate:
    data = msgspec.json.encode({"sessionId": "s", "update": fields})
    return decode(data, updates.SessionNotification).update


def test_unknown_update_keeps_its_raw_data() -> None:
    got = update(sessionUpdate="hologram", depth=3)
    assert isinstance(got, updates.UnknownUpdate)
    assert (got.kind, got.raw["depth"]) == ("hologram", 3)


@pytest.mark.parametrize("kind", ["", None, 3])
def test_update_without_a_usable_kind_is_unknown(kind: object) -> None:
    got = update(sessionUpdate=kind, depth=3)
    assert isinstance(got, updates.UnknownUpdate)
    assert got.raw == {"sessionUpdate": kind, "depth": 3}


def test_unknown_block_inside_a_known_update_keeps_its_raw_data() -> None:
    got = update(sessionUpdate="agent_message_chunk", content={"type": "smell", "of": "coffee"})
    assert isinstance(got, updates.AgentMessageChunk)
    assert isinstance(got.content, content.UnknownContent)
    assert got.content.raw == {"type": "smell", "of": "coffee"}


def test_unknown_tool_content_beside_known_one() -> None:
    known = {"type": "diff", "path": "/a", "newText": "x"}
    got = update(sessionUpdate="tool_call", toolCallId="1", title="t", content=[known, {"type": "chart"}])
    assert isinstance(got, updates.ToolCall)
    assert got.content is not None
    assert [type(c) for c in got.content] == [tools.Diff, tools.UnknownToolContent]


def test_optional_field_of_a_wrong_type_counts_as_absent() -> None:
    got = update(sessionUpdate="tool_call", toolCallId="1", title="t", kind=7, locations={"path": 1})
    assert got == updates.ToolCall("1", "t")


def test_unreadable_items_of_a_list_are_left_out() -> None:
    got = update(
        sessionUpdate="plan",
        entries=[{"content": "a", "priority": "low", "status": "pending"}, {"content": 1}, 7],
    )
    assert got == updates.Plan((updates.PlanEntry("a", "low", "pending"),))


def test_null_counts_as_absent() -> None:
    data = b'{"protocolVersion":1,"agentCapabilities":null,"authMethods":null,"agentInfo":null}'
    assert decode(data, handshake.InitializeResponse) == handshake.InitializeResponse(1)


def test_unknown_words_pass() -> None:
    got = update(sessionUpdate="tool_call", toolCallId="1", title="t", kind="dance", status="paused")
    assert isinstance(got, updates.ToolCall)
    assert (got.kind, got.status) == ("dance", "paused")


@pytest.mark.parametrize(
    ("data", "kind", "place"),
    [
        (b'{"sessionId":1,"prompt":[]}', sessions.PromptRequest, "sessionId"),
        (b'{"sessionId":"s"}', sessions.PromptRequest, "prompt"),
        (b'{"sessionId":"s","prompt":[{"type":"text"}]}', sessions.PromptRequest, "text"),
        (b'{"sessionId":"s","prompt":"hello"}', sessions.PromptRequest, "prompt"),
        (b'{"sessionId":"s","update":[]}', updates.SessionNotification, "update"),
        (b"[]", sessions.PromptRequest, "object"),
    ],
)
def test_what_is_needed_and_wrong_is_an_error_with_a_place(data: bytes, kind: type, place: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=place):
        decode(data, kind)


def test_former_models_are_kept() -> None:
    data = (
        b'{"sessionId":"s","models":{"currentModelId":"a",'
        b'"availableModels":[{"modelId":"a","name":"A"},{"modelId":"b","name":"B","description":"d"}]}}'
    )
    got = decode(data, sessions.NewSessionResponse)
    assert got.models == options.SessionModelState(
        "a", (options.ModelInfo("a", "A"), options.ModelInfo("b", "B", "d"))
    )


def test_broken_text_inside_a_message_is_replaced() -> None:
    data = b'{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk",'
    for text in (b"caf\xc3", b"caf\\ud83d"):
        whole = data + b'"content":{"type":"text","text":"' + text + b'"}}}'
        got = decode(whole, updates.SessionNotification).update
        assert got == updates.AgentMessageChunk(content.TextContent("caf\ufffd"))


class Client(ClientHandlers):
    """Takes updates."""

    def __init__(self) -> None:
        self.got: list[updates.SessionUpdate] = []

    async def session_update(self, notification: updates.SessionNotification) -> None:
        self.got.append(notification.update)

    async def read_text_file(self, request: services.ReadTextFileRequest) -> services.ReadTextFileResponse:
        return services.ReadTextFileResponse(request.path)


async def test_wrong_params_are_answered_in_a_request_and_reported_in_a_notification() -> None:
    ours, theirs = socket.socketpair()
    peer = Peer(*await asyncio.open_connection(sock=theirs))
    junk: list[bytes] = []
    agent = RemoteAgent(*await asyncio.open_connection(sock=ours), on_junk=junk.append)
    client = Client()
    agent.start(client)
    good = {"sessionUpdate": "current_mode_update", "currentModeId": "ask"}
    await peer.send(
        {"method": "session/update", "params": {"sessionId": 5, "update": good}},
        {"method": "session/update", "params": {"sessionId": "s", "update": good}},
        {"method": "_vendor/news", "params": {"any": "thing"}},
        {"id": 1, "method": "fs/read_text_file", "params": {"sessionId": "s", "path": 5}},
        {"id": 2, "method": "fs/read_text_file", "params": {"sessionId": "s", "path": "/a"}},
        {"id": 3, "method": "_vendor/question"},
    )
    answers = [await peer.receive() for _ in range(3)]
    assert [a.get("result") for a in answers] == [None, {"content": "/a"}, None]
    errors = [a["error"] for a in answers if isinstance(a.get("error"), dict)]
    assert [e["code"] for e in errors if isinstance(e, dict)] == [-32602, -32601]
    assert "path" in str(errors[0])
    assert client.got == [updates.CurrentModeUpdate("ask")]
    assert len(junk) == 1
    await agent.close()
    peer.writer.close()
    await peer.writer.wait_closed()
