"""The arguments of a tool call as the model wrote them: JSON, or what to tell the model where it is not."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from minime_agent.tools.workspace import call_limit


class UnreadableArguments(Exception):  # noqa: N818 (told to the model, not an error of the program)
    """Arguments that cannot be executed; the message is for the model.

    `cut`: they end in the middle; `endless`: they were broken off, as they would not have ended.
    """

    def __init__(self, message: str, *, cut: bool = False, endless: bool = False) -> None:
        super().__init__(message)
        self.cut = cut
        self.endless = endless


def decode(text: str, tool: str, max_tokens: int, *, at_limit: bool) -> dict[str, Any]:
    """The arguments as a mapping; nothing that is cut is ever completed by guessing.

    `at_limit` says that the server ended the answer at `max_tokens`. Raises `UnreadableArguments`.
    """
    if not text.strip() and not at_limit:
        return {}
    try:
        value = msgspec.json.decode(text)
        if isinstance(value, str):
            value = msgspec.json.decode(value)
    except RecursionError:
        raise UnreadableArguments(
            f"[error: the arguments of {tool} are nested too deeply; nothing was run. "
            "Send the call again with the arguments that it declares]"
        ) from None
    except msgspec.DecodeError as error:
        if at_limit or "truncated" in str(error):
            raise UnreadableArguments(_cut(tool, max_tokens), cut=True) from None
        raise UnreadableArguments(
            f"[error: the arguments of {tool} were not valid JSON ({error}); nothing was run. "
            "Send the call again with valid JSON: quotes and line breaks inside strings escaped]",
            cut=False,
        ) from None
    if not isinstance(value, dict):
        raise UnreadableArguments(
            f"[error: the arguments of {tool} must be one JSON object; nothing was run]", cut=False
        )
    return cast("dict[str, Any]", value)


def endless(tool: str, why: str) -> UnreadableArguments:
    """What is told of arguments that were broken off; `why` says how they would not have ended."""
    return UnreadableArguments(
        f"[error: the arguments of {tool} were broken off: {why}; nothing was run. "
        "Send a shorter call, without repetitions; write something long in parts]",
        endless=True,
    )


def _cut(tool: str, max_tokens: int) -> str:
    return (
        f"[error: the call of {tool} was cut off at max_tokens ({max_tokens}); nothing was run. "
        f"Send a shorter call: write only the first part (at most {call_limit(max_tokens)} characters), "
        "then add the rest with edit_file]"
    )
