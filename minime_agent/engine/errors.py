"""What can end a turn other than an answer. Each message is written for the person who reads it."""

from __future__ import annotations


class ModelError(Exception):
    """The model could not be reached or did not answer; the message is one sentence that says what to do.

    `status` is the HTTP status where there was one.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ContextOverflowError(ModelError):
    """The conversation is larger than the model's context window."""


class Stuck(Exception):  # noqa: N818 (the name that people know this ending by)
    """The model repeats one action in spite of a warning; the message says which."""
