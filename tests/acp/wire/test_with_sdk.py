"""The official SDK at the other end, over real pipes: its client and our agent, our client and its agent."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import acp
import pytest
from acp.schema import AllowedOutcome, RequestPermissionResponse

from minime_agent.acp.wire import content, handshake, options, services, sessions, tools, updates
from minime_agent.acp.wire.client_side import ClientHandlers, RemoteAgent

HERE = Path(__file__).parent


class SdkClient:
    """A client written with the SDK, which keeps what it gets."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.waiting = asyncio.Event()

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append((session_id, update))
        if update.session_update == "agent_thought_chunk":
            self.waiting.set()

    async def request_permission(self, options: Any, **_: Any) -> RequestPermissionResponse:
        return RequestPermissionResponse(
            outcome=AllowedOutcome(option_id=options[0].option_id, outcome="selected")
        )

    async def read_text_file(self, path: str, **_: Any) -> acp.ReadTextFileResponse:
        return acp.ReadTextFileResponse(content=f"text of {path}")

    def on_connect(self, conn: Any) -> None:
        del conn


async def test_sdk_client_drives_our_agent() -> None:
    client: Any = SdkClient()
    program = str(HERE / "wire_agent.py")
    async with acp.spawn_agent_process(client, sys.executable, program, env=dict(os.environ)) as (
        agent,
        process,
    ):
        hello = await agent.initialize(protocol_version=1)
        assert hello.agent_info is not None
        assert hello.agent_info.name == "wire-agent"
        session = await agent.new_session(cwd="/", mcp_servers=[])
        assert session.modes is not None
        answer = await agent.prompt(session_id=session.session_id, prompt=[acp.text_block("hi")])
        assert answer.stop_reason == "end_turn"
        with pytest.raises(acp.RequestError, match="Method not found"):
            await agent.ext_method("unheard/of", {})
        kinds = [update.session_update for _, update in client.updates]
        assert kinds == ["tool_call", "tool_call_update", "agent_message_chunk", "usage_update"]
        assert client.updates[2][1].content.text == "text of /notes"
        asked = asyncio.create_task(
            agent.prompt(session_id=session.session_id, prompt=[acp.text_block("wait")])
        )
        await asyncio.wait_for(client.waiting.wait(), 10)
        await agent.cancel(session_id=session.session_id)
        assert (await asked).stop_reason == "cancelled"
        assert process.stdin is not None
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), 10) == 0


class OurClient(ClientHandlers):
    """A client written with the wire, which keeps what it gets."""

    def __init__(self) -> None:
        self.got: list[updates.SessionUpdate] = []

    async def session_update(self, notification: updates.SessionNotification) -> None:
        self.got.append(notification.update)

    async def request_permission(
        self, request: tools.RequestPermissionRequest
    ) -> tools.RequestPermissionResponse:
        return tools.RequestPermissionResponse.selected(request.options[0].option_id)

    async def create_terminal(
        self, request: services.CreateTerminalRequest
    ) -> services.CreateTerminalResponse:
        return services.CreateTerminalResponse(f"{request.command} {' '.join(request.args)}")


async def test_our_client_drives_the_sdk_agent() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(HERE / "sdk_agent.py"), stdin=-1, stdout=-1
    )
    assert process.stdin is not None
    assert process.stdout is not None
    junk: list[bytes] = []
    agent = RemoteAgent(process.stdout, process.stdin, on_junk=junk.append)
    client = OurClient()
    agent.start(client)
    capabilities = handshake.ClientCapabilities(
        fs=handshake.FileSystemCapabilities(True, True), terminal=True
    )
    hello = await agent.initialize(
        handshake.InitializeRequest(1, capabilities, handshake.Implementation("test", "1"))
    )
    assert hello.agent_capabilities.load_session
    servers = (
        sessions.McpServer("m", command="cmd", args=(), env=()),
        sessions.McpServer("h", type="http", url="http://x", headers=()),
    )
    session = await agent.new_session(sessions.NewSessionRequest("/", servers))
    assert session.session_id == "2 servers"
    assert session.config_options is not None
    assert isinstance(session.config_options[0], options.ConfigSelect)
    prompt = sessions.PromptRequest(session.session_id, (content.TextContent("hi"),))
    assert (await agent.prompt(prompt)).stop_reason == "end_turn"
    texts = [
        u.content.text
        for u in client.got
        if isinstance(u, updates.AgentMessageChunk) and isinstance(u.content, content.TextContent)
    ]
    assert texts == ["allowed: yes", "terminal: ls -l", *map(str, range(200))]
    assert await agent.set_config_option(session.session_id, "model", "b") == session.config_options
    with pytest.raises(Exception, match="Method not found"):
        await agent.delete_session(session.session_id)
    await agent.close()
    assert await asyncio.wait_for(process.wait(), 10) == 0
    assert junk == []
