"""What can end a turn other than an answer. Each message is written for the person who reads it."""

from __future__ import annotations

from typing import Literal, TypeAlias

Retry: TypeAlias = Literal["no", "soon", "loading", "once", "unshown"]
"""Whether asking again can help: `soon` after a pause, `loading` after longer ones, `once` (the server broke
off and said so), `unshown` the same but only while nothing of the answer was shown."""


class ModelError(Exception):
    """The model could not be reached or did not answer; the message is one sentence that says what to do.

    `status` is the HTTP status where there was one; `parameter` the part of the request that the server
    refused.
    """

    def __init__(
        self, message: str, *, status: int | None = None, retry: Retry = "no", parameter: str = ""
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry: Retry = retry
        self.parameter = parameter


class ServerGoneError(ModelError):
    """Nobody answers any more, the connection broke in the middle of an answer, or the model is not there.

    The way to a model is to be found anew.
    """


class UnreadableAnswerError(ModelError):
    """The server could not read what the model wrote: to be told to the model, not tried again blindly.

    `advice` is the sentence for the model.
    """

    advice = (
        "your last answer could not be read by the server and is lost. Answer again: write a tool call "
        "exactly in the form you were given, or answer in plain text"
    )


class ContextOverflowError(ModelError):
    """The conversation is larger than the model's context window: `window` tokens, 0 where nobody said it."""

    def __init__(self, message: str, *, status: int | None = None, window: int = 0) -> None:
        super().__init__(message, status=status)
        self.window = window


class Stuck(Exception):  # noqa: N818 (the name that people know this ending by)
    """The model repeats one action in spite of a warning; the message says which."""
