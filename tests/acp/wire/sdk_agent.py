"""An agent written with the official SDK, run as a process by the tests."""

from __future__ import annotations

import asyncio
from typing import Any

import acp
from acp import schema

OPTIONS: list[Any] = [
    schema.SessionConfigOptionSelect(
        id="model",
        name="Model",
        category="model",
        type="select",
        current_value="a",
        options=[schema.SessionConfigSelectOption(value="a", name="A")],
    )
]


class SdkAgent:
    """Asks for a permission and a terminal, then streams."""

    client: Any

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        capabilities = schema.AgentCapabilities(load_session=True)
        return schema.InitializeResponse(protocol_version=protocol_version, agent_capabilities=capabilities)

    async def new_session(self, mcp_servers: list[Any], **_: Any) -> schema.NewSessionResponse:
        return schema.NewSessionResponse(session_id=f"{len(mcp_servers)} servers", config_options=OPTIONS)

    async def set_config_option(self, **_: Any) -> schema.SetSessionConfigOptionResponse:
        return schema.SetSessionConfigOptionResponse(config_options=OPTIONS)

    async def prompt(self, session_id: str, **_: Any) -> schema.PromptResponse:
        async def say(text: str) -> None:
            chunk = acp.update_agent_message_text(text)
            await self.client.session_update(session_id=session_id, update=chunk)

        answer = await self.client.request_permission(
            session_id=session_id,
            tool_call=schema.ToolCallUpdate(tool_call_id="t1", title="Run"),
            options=[schema.PermissionOption(option_id="yes", name="Yes", kind="allow_once")],
        )
        await say(f"allowed: {answer.outcome.option_id}")
        terminal = await self.client.create_terminal(session_id=session_id, command="ls", args=["-l"])
        await say(f"terminal: {terminal.terminal_id}")
        for n in range(200):
            await say(str(n))
        return schema.PromptResponse(stop_reason="end_turn")


asyncio.run(acp.run_agent(SdkAgent()))  # type: ignore[arg-type] — only a part of the protocol is here
