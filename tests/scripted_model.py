"""A scripted model server on loopback that speaks the OpenAI chat API; nothing but the standard library.

In a test, give it the replies and read the requests:

    async with ScriptedModel([[Text("hello")], [Call("bash", {"command": "ls"})], Status(401)]) as server:
        ...  # server.url ends in /v1; server.chats are the bodies of the chat requests

Without replies the person's text picks the answer (keyword mode), which is also what the process serves:

    python -m tests.scripted_model --port 0        # prints its URL, serves until stdin closes

    RUNTOOL            calls bash with `echo hello-from-tool`; RUNTOOL=`command` calls it with that command;
                       after the tool's result the answer quotes it
    CHUNKS=n           streams n chunks "chunk i "; with DELAY=ms between them
    THINK              reasons before it answers
    STALL              says one word, then nothing until the client leaves
    STATUS=n           answers with that HTTP status
    anything else      "Hello from the scripted model."
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import re
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.loopback import LoopbackServer

DEFAULT_MODEL = "scripted"


@dataclass(frozen=True)
class Text:
    """A chunk of the answer."""

    text: str


@dataclass(frozen=True)
class Reasoning:
    """A chunk of reasoning, in the field the server uses for it."""

    text: str
    field: str = "reasoning_content"


@dataclass(frozen=True)
class Call:
    """A tool call in pieces of `piece` characters; `arguments` as text goes out as it is, even malformed."""

    name: str
    arguments: dict[str, Any] | str
    id: str = ""
    piece: int = 20


@dataclass(frozen=True)
class Usage:
    """Token counts, as the last chunk carries them, and llama.cpp's timings."""

    prompt: int = 100
    completion: int = 10
    cached: int = 0
    prefill_speed: float | None = None
    decode_speed: float | None = None


@dataclass(frozen=True)
class Progress:
    """llama.cpp's `prompt_progress`."""

    processed: int
    total: int


@dataclass(frozen=True)
class ErrorEvent:
    """An error inside the stream: `event: error`, or llama.cpp's bare `error:` line."""

    message: str
    bare: bool = False


@dataclass(frozen=True)
class Raw:
    """These very bytes in the body of the stream."""

    data: bytes


@dataclass(frozen=True)
class Wait:
    """Nothing more until the event is set."""

    event: asyncio.Event


@dataclass(frozen=True)
class Pause:
    """Milliseconds of silence."""

    milliseconds: int


@dataclass(frozen=True)
class Stall:
    """Nothing more until the client leaves."""


@dataclass(frozen=True)
class Finish:
    """Ends the answer with this finish_reason instead of the natural one."""

    reason: str


@dataclass(frozen=True)
class End:
    """The body ends properly, with neither a finish_reason nor `[DONE]`."""


@dataclass(frozen=True)
class Cut:
    """The connection breaks."""


Step = (
    Text | Reasoning | Call | Usage | Progress | ErrorEvent | Raw | Wait | Pause | Stall | Finish | End | Cut
)


@dataclass(frozen=True)
class Status:
    """An HTTP error instead of an answer, or with 200 what is no answer."""

    code: int
    message: str = "scripted error"
    body: bytes | None = None
    kind: str = "application/json"


Reply = Sequence[Step] | Status


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The body as JSON."""
        return json.loads(self.raw)


@dataclass
class ScriptedModel(LoopbackServer):
    """The server. `replies` None means keyword mode; a script that has run out answers 500 and says so."""

    replies: Sequence[Reply] | None = None
    models: Sequence[str] = (DEFAULT_MODEL,)
    window: int = 8192
    api_key: str = ""
    told: dict[str, Any] = field(default_factory=dict)
    """What else is answered, by path."""
    requests: list[Request] = field(default_factory=list)
    _next: int = 0
    _arrived: asyncio.Condition = field(default_factory=asyncio.Condition)
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests so far."""
        return [request.body for request in self.requests if request.path.endswith("/chat/completions")]

    def play(self, replies: Sequence[Reply]) -> None:
        """Goes on with these replies."""
        self.replies, self._next = replies, 0

    async def chat_arrived(self, count: int = 1) -> dict[str, Any]:
        """Waits until `count` chat requests have come; returns the last one's body."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.chats) >= count)
        return self.chats[count - 1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (request := await _read_request(reader)) is not None:
            async with self._arrived:
                self.requests.append(request)
                self._arrived.notify_all()
            if not await self._answer(request, reader, writer):
                break

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answers one request; False means that the connection is to be closed."""
        if self.api_key and request.headers.get("authorization") != f"Bearer {self.api_key}":
            return await _send_json(
                writer, 401, {"error": {"message": "Incorrect API key provided", "code": 401}}
            )
        if request.path in self.told:
            return await _send_json(writer, 200, self.told[request.path])
        if request.path.endswith("/models"):
            rows = [{"id": name, "object": "model"} for name in self.models]
            return await _send_json(writer, 200, {"object": "list", "data": rows})
        if request.path.endswith("/props"):
            return await _send_json(writer, 200, {"default_generation_settings": {"n_ctx": self.window}})
        if not request.path.endswith("/chat/completions"):
            return await _send_json(writer, 404, {"error": {"message": f"no {request.path} here"}})
        if (model := request.body.get("model")) not in self.models:
            return await _send_json(writer, 404, {"error": {"message": f"model '{model}' not found"}})
        reply = self._pick(request.body)
        if isinstance(reply, Status):
            body = (
                reply.body or json.dumps({"error": {"message": reply.message, "code": reply.code}}).encode()
            )
            return await _send(writer, reply.code, body, reply.kind)
        if not request.body.get("stream"):
            return await _send_json(writer, 200, self._whole(reply))
        return await self._stream(reply, reader, writer)

    def _pick(self, body: dict[str, Any]) -> Reply:
        if self.replies is None:
            return keyword_reply(body)
        if self._next >= len(self.replies):
            return Status(500, "the script has no more replies")
        self._next += 1
        return self.replies[self._next - 1]

    async def _stream(
        self, steps: Sequence[Step], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        async for data in self._bytes(steps, reader):
            if data is None:
                return False
            writer.write(b"%x\r\n%s\r\n" % (len(data), data))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _bytes(
        self, steps: Sequence[Step], reader: asyncio.StreamReader
    ) -> AsyncIterator[bytes | None]:
        """The stream's body; None breaks the connection."""
        yield _chunk({"role": "assistant", "content": ""})
        reason = "tool_calls" if any(isinstance(step, Call) for step in steps) else "stop"
        usage: Usage | None = None
        calls = itertools.count()
        for step in steps:
            match step:
                case Wait(event):
                    await event.wait()
                case Pause(milliseconds):
                    await asyncio.sleep(milliseconds / 1000)
                case Stall():
                    await reader.read(1)
                    return
                case Cut():
                    yield None
                    return
                case End():
                    return
                case Usage():
                    usage = step
                case Finish(reason):
                    pass
                case Call():
                    for piece in self._call(step, next(calls)):
                        yield piece
                case _:
                    yield _plain(step)
        yield _chunk({}, reason)
        if usage is not None:
            yield _usage_chunk(usage)
        yield b"data: [DONE]\n\n"

    def _call(self, call: Call, index: int) -> list[bytes]:
        text = _arguments(call)
        name = {"index": index, "id": call.id or f"call_{next(self._ids)}", "type": "function"}
        deltas: list[dict[str, Any]] = [name | {"function": {"name": call.name, "arguments": ""}}]
        deltas += [
            {"index": index, "function": {"arguments": text[at : at + call.piece]}}
            for at in range(0, len(text), call.piece)
        ]
        return [_chunk({"tool_calls": [delta]}) for delta in deltas]

    def _whole(self, steps: Sequence[Step]) -> dict[str, Any]:
        message: dict[str, Any] = {
            "role": "assistant",
            "content": "".join(step.text for step in steps if isinstance(step, Text)),
        }
        if calls := [step for step in steps if isinstance(step, Call)]:
            message["tool_calls"] = [
                {
                    "id": call.id or f"call_{next(self._ids)}",
                    "type": "function",
                    "function": {"name": call.name, "arguments": _arguments(call)},
                }
                for call in calls
            ]
        reason = next((step.reason for step in steps if isinstance(step, Finish)), "stop")
        return {
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }


def keyword_reply(body: dict[str, Any]) -> Reply:
    """The answer of keyword mode, by the newest thing in the conversation."""
    messages = body["messages"]
    if messages[-1]["role"] == "tool":
        return [
            *map(Text, ("The tool said: ", " ".join(messages[-1]["content"].split())[:200], ". Done.")),
            Usage(),
        ]
    text = next((m["content"] for m in reversed(messages) if m["role"] == "user"), "")
    if status := re.search(r"STATUS=(\d+)", text):
        return Status(int(status[1]))
    if chunks := re.search(r"CHUNKS=(\d+)", text):
        delay = re.search(r"DELAY=(\d+)", text)
        pause = [Pause(int(delay[1]))] if delay else []
        return [step for i in range(int(chunks[1])) for step in (Text(f"chunk {i} "), *pause)]
    if "RUNTOOL" in text and any(t["function"]["name"] == "bash" for t in body.get("tools", [])):
        command = re.search(r"RUNTOOL=`(.+?)`", text, re.DOTALL)
        call = Call("bash", {"command": command[1] if command else "echo hello-from-tool"})
        return [Text("I will run a command. "), call, Usage()]
    if "STALL" in text:
        return [Text("One "), Stall()]
    thoughts = [Reasoning("The person says hello. "), Reasoning("I greet.")] if "THINK" in text else []
    return [*thoughts, Text("Hello "), Text("from the "), Text("scripted model."), Usage()]


def _arguments(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _plain(step: Step) -> bytes:
    match step:
        case Text(text):
            return _chunk({"content": text})
        case Reasoning(text, name):
            return _chunk({name: text})
        case Progress(processed, total):
            progress = {"processed": processed, "total": total, "cache": 0, "time_ms": 1}
            return _event({"choices": [], "prompt_progress": progress})
        case ErrorEvent(message, bare):
            body = json.dumps({"code": 500, "message": message})
            return f"error: {body}\n\n".encode() if bare else _event({"error": json.loads(body)})
        case Raw(data):
            return data
        case _:
            raise TypeError(f"not a chunk: {step}")


def _event(body: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(body)}\n\n".encode()


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event({"object": "chat.completion.chunk", "choices": [choice]})


def _usage_chunk(usage: Usage) -> bytes:
    counts: dict[str, Any] = {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }
    body: dict[str, Any] = {"choices": [], "usage": counts}
    if usage.prefill_speed is not None:
        body["timings"] = {
            "prompt_per_second": usage.prefill_speed,
            "predicted_per_second": usage.decode_speed,
        }
    return _event(body)


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name
    }
    return Request(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


async def _send_json(writer: asyncio.StreamWriter, status: int, body: Any) -> bool:
    return await _send(writer, status, json.dumps(body).encode())


async def _send(
    writer: asyncio.StreamWriter, status: int, body: bytes, kind: str = "application/json"
) -> bool:
    head = f"HTTP/1.1 {status} Scripted\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    return True


async def _serve(port: int) -> None:
    async with ScriptedModel(port=port) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        loop, closed = asyncio.get_running_loop(), asyncio.Event()

        def watch() -> None:
            sys.stdin.read()
            loop.call_soon_threadsafe(closed.set)

        # A daemon: Ctrl+C must not wait for stdin to close.
        threading.Thread(target=watch, daemon=True).start()
        await closed.wait()


def main() -> None:
    """Serves keyword mode until stdin closes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=0)
    asyncio.run(_serve(parser.parse_args().port))


if __name__ == "__main__":
    main()
