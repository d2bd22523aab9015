"""An agent on the wire, run as a process by the tests."""

from __future__ import annotations

import asyncio
import sys

import msgspec

from minime_agent.acp.wire import content, handshake, options, services, sessions, tools, updates
from minime_agent.acp.wire.agent_side import AgentHandlers, RemoteClient
from minime_agent.acp.wire.base import Empty
from minime_agent.acp.wire.stdio import take_stdio


class WireAgent(AgentHandlers):
    """Asks, reads, tells; the prompt `wait` ends with the cancellation."""

    def __init__(self, client: RemoteClient) -> None:
        self.client = client
        self.stopped = asyncio.Event()

    async def initialize(self, request: handshake.InitializeRequest) -> handshake.InitializeResponse:
        print("printed by accident")
        info = handshake.Implementation("wire-agent", "1")
        return handshake.InitializeResponse(request.protocol_version, agent_info=info)

    async def new_session(self, request: sessions.NewSessionRequest) -> sessions.NewSessionResponse:
        modes = options.SessionModeState("ask", (options.SessionMode("ask", "Ask"),))
        return sessions.NewSessionResponse("s1", modes)

    async def cancel(self, request: sessions.SessionRequest) -> None:
        self.stopped.set()

    async def prompt(self, request: sessions.PromptRequest) -> sessions.PromptResponse:
        assert isinstance(request.prompt[0], content.TextContent)
        if request.prompt[0].text == "wait":
            await self.tell(updates.AgentThoughtChunk(content.TextContent("waiting")))
            await self.stopped.wait()
            return sessions.PromptResponse("cancelled")
        await self.tell(updates.ToolCall("t1", "Read", kind="read"))
        answer = await self.client.request_permission(
            tools.RequestPermissionRequest(
                request.session_id,
                tools.ToolCallFields("t1"),
                (tools.PermissionOption("yes", "Yes", "allow_once"),),
            )
        )
        assert answer.outcome.option_id == "yes"
        text = await self.client.read_text_file(services.ReadTextFileRequest(request.session_id, "/notes"))
        await self.tell(updates.ToolCallUpdate("t1", status="completed", raw_output={"text": text}))
        await self.tell(updates.AgentMessageChunk(content.TextContent(text)))
        await self.tell(updates.UsageUpdate(1, 2))
        return sessions.PromptResponse("end_turn")

    async def extension_request(self, method: str, params: msgspec.Raw) -> object:
        if method != "_print":
            return await super().extension_request(method, params)
        print("x" * 1_000_000)
        return {"printed": True}

    async def tell(self, update: updates.SessionUpdate) -> None:
        await self.client.session_update("s1", update)

    async def close_session(self, request: sessions.SessionRequest) -> Empty:
        return Empty()


async def main() -> int:
    client = RemoteClient(*await take_stdio())
    client.start(WireAgent(client))
    await client.connection.wait_closed()
    await client.close()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
