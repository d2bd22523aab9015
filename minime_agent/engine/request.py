"""The body of a chat request: the same conversation always gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from minime_agent.config.settings import Sampling
from minime_agent.engine.messages import Message
from minime_agent.engine.providers import Endpoint

_RENAMED = {"max_tokens": "max_completion_tokens"}
"""What newer models of OpenAI call a parameter that they refuse by its old name."""


class RequestBuilder:
    """Builds the requests of one session. What a server refuses by name is left out from then on."""

    def __init__(self, endpoint: Endpoint, sampling: Sampling, tools: list[dict[str, Any]]) -> None:
        self._endpoint = endpoint
        self._tools = tools
        self._options = {
            name: value for name, value in msgspec.structs.asdict(sampling).items() if value is not None
        }
        self._options["stream_options"] = {"include_usage": True}
        if endpoint.provider.local_extras:
            self._options |= {"return_progress": True}

    def drop(self, parameter: str) -> bool:
        """Leaves out a parameter that the server refused; False when it was not sent."""
        if parameter not in self._options:
            return False
        value = self._options.pop(parameter)
        if parameter in _RENAMED:
            self._options[_RENAMED[parameter]] = value
        return True

    def body(self, system: str, history: Sequence[Message], *, tools: bool = True) -> bytes:
        """One request: the system message, the history, the tools."""
        messages = [Message("system", system), *history] if system else list(history)
        options = dict(self._options)
        declared: dict[str, Any] = {}
        if tools and self._tools:
            declared["tools"] = self._tools
        else:
            options.pop("parallel_tool_calls", None)
        return msgspec.json.encode(
            {"model": self._endpoint.model, "messages": messages, **declared, "stream": True, **options}
        )
