"""What a server streams: the OpenAI chunk and what others add to it. All of it is optional."""

from __future__ import annotations

from typing import Any

import msgspec


class FunctionDelta(msgspec.Struct):
    """More of a call; some servers send the arguments as an object."""

    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class CallDelta(msgspec.Struct):
    """More of the call `index`."""

    index: int | None = None
    id: str | None = None
    function: FunctionDelta | None = None


class Delta(msgspec.Struct):
    """More of the answer; reasoning has two names."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[CallDelta] | None = None

    @property
    def says_something(self) -> bool:
        """Whether the model itself produced any of it (the first delta often carries the role alone)."""
        return bool(self.content or self.reasoning_content or self.reasoning or self.tool_calls)


class Choice(msgspec.Struct):
    """The one choice; `message` in place of `delta` when the server does not stream."""

    delta: Delta | None = None
    message: Delta | None = None
    finish_reason: str | None = None


class PromptDetails(msgspec.Struct):
    """Part of the usage."""

    cached_tokens: int | None = None


class Usage(msgspec.Struct):
    """Token counts."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: PromptDetails | None = None


class Timings(msgspec.Struct):
    """llama.cpp's own clock."""

    prompt_per_second: float | None = None
    predicted_per_second: float | None = None
    cache_n: int | None = None


class Progress(msgspec.Struct):
    """How much of the prompt llama.cpp has read, in tokens."""

    processed: int = 0
    total: int = 0


class Chunk(msgspec.Struct):
    """One event of the stream."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    timings: Timings | None = None
    prompt_progress: Progress | None = None
    error: Any = None


decode = msgspec.json.Decoder(Chunk).decode
