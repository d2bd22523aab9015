"""The body of a chat request: the same conversation always gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from minime_agent.config.settings import Sampling, Thinking
from minime_agent.engine.messages import Message, user
from minime_agent.engine.providers import Endpoint

Force: TypeAlias = str
"""How an answer is made a call: `schema`, or the tag that the chat template opens calls with.

The tag begins the answer, and `tool_choice: required` goes with it. Measured on Qwen 0.5B with llama.cpp:
0 of 8 valid calls without either, 0 of 8 with `required` alone, 8 of 8 with both.
"""
_WARM = 0.4
THINKING_SWITCH = "chat_template_kwargs"
"""Where local servers are told that the model is not to reason."""
_RENAMED = {"max_tokens": "max_completion_tokens"}
"""What newer models of OpenAI call a parameter that they refuse by its old name."""


class RequestBuilder:
    """Builds the requests of one session. What a server refuses by name is left out from then on."""

    def __init__(
        self,
        endpoint: Endpoint,
        sampling: Sampling,
        tools: list[dict[str, Any]],
        *,
        system_role: bool = True,
        thinking: Thinking = "auto",
    ) -> None:
        """`system_role`: whether the chat template takes a system message; else the first question has it."""
        self._endpoint = endpoint
        self._system_role = system_role
        self._tools = tools
        self._options = {
            name: value for name, value in msgspec.structs.asdict(sampling).items() if value is not None
        }
        self._options["stream_options"] = {"include_usage": True}
        self._unreasoned: dict[str, Any] = {}
        if endpoint.provider.local_extras:
            self._options |= {"return_progress": True}
            if thinking != "auto":
                self._options |= {"chat_template_kwargs": {"enable_thinking": thinking == "on"}}
            self._unreasoned = {THINKING_SWITCH: {"enable_thinking": False}}

    def _call_schema(self) -> dict[str, Any]:
        """A JSON schema that only a call of one of the tools fits."""
        functions = [tool["function"] for tool in self._tools]
        calls = [
            {
                "type": "object",
                "properties": {"name": {"enum": [one["name"]]}, "arguments": one["parameters"]},
                "required": ["name", "arguments"],
            }
            for one in functions
        ]
        return {"type": "json_schema", "json_schema": {"name": "call", "schema": {"anyOf": calls}}}

    def drop(self, parameter: str) -> bool:
        """Leaves out a parameter that the server refused; False when it was not sent."""
        if self._unreasoned.pop(parameter, None) is not None:
            return True
        if parameter not in self._options:
            return False
        value = self._options.pop(parameter)
        if parameter in _RENAMED:
            self._options[_RENAMED[parameter]] = value
        return True

    def body(
        self,
        system: str,
        history: Sequence[Message],
        *,
        tools: bool = True,
        force: Force | None = None,
        warm: bool = False,
    ) -> bytes:
        """One request: the system message, the history, the tools.

        `force` makes the answer a call; `warm` raises the temperature, so that a model that repeats itself
        may find something else.
        """
        messages = self._messages(system, history)
        options = dict(self._options)
        if warm and (options.get("temperature") or 0) < _WARM:
            options["temperature"] = _WARM
        if force == "schema":
            options["response_format"] = self._call_schema()
            tools = False
        elif force is not None:
            options["tool_choice"] = "required"
            messages.append(Message("assistant", force))
        if tools and self._tools:
            return self._encoded(messages, {"tools": self._tools}, options)
        return self._encoded(messages, {}, _toolless(options))

    def _messages(self, system: str, history: Sequence[Message]) -> list[Message]:
        if not system:
            return list(history)
        if self._system_role or not history or history[0].role != "user":
            return [Message("system", system), *history]
        return [user(f"{system}\n\n{history[0].content}"), *history[1:]]

    def aside(self, messages: Sequence[Message], max_tokens: int) -> bytes:
        """A request beside the conversation: no tools, no reasoning, an answer of at most `max_tokens`.

        Reasoning is paid from `max_tokens`: summaries came back empty (Qwen3.8 27B, 2026-09-27).
        """
        options = _toolless(self._options) | self._unreasoned
        limits = {name: max_tokens for name in ("max_tokens", *_RENAMED.values()) if name in options}
        return self._encoded(messages, {}, options | limits)

    def _encoded(
        self, messages: Sequence[Message], declared: dict[str, Any], options: dict[str, Any]
    ) -> bytes:
        return msgspec.json.encode(
            {"model": self._endpoint.model, "messages": messages, **declared, "stream": True, **options}
        )


def _toolless(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "parallel_tool_calls"}
