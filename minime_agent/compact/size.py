"""How large a conversation is, in tokens: guessed from its bytes, put right by what a server counted."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from minime_agent.engine.messages import Message

_BYTES_PER_TOKEN = 3.5
_MOST = 4.0
"""No tokenizer makes more tokens than bytes; a larger ratio is a server that counts wrongly."""


def text_tokens(text: bytes) -> int:
    """Tokens of a piece of a request, by its bytes."""
    return round(len(text) / _BYTES_PER_TOKEN)


def tokens(messages: Sequence[Message]) -> int:
    """Tokens of messages, by the bytes that they are sent as."""
    return text_tokens(msgspec.json.encode(messages))


class Gauge(msgspec.Struct):
    """Measures one session: max(guess, server's count), also for what the server has not counted yet.

    `scale` is the server's count of the last request over the guess for it.
    """

    scale: float = 1.0

    def learn(self, guessed: int, counted: int) -> None:
        """Takes what a server counted for a request; fewer than guessed may mean that it cut the prompt."""
        self.scale = min(max(counted / max(guessed, 1), 1.0), _MOST)

    def measure(self, guessed: int) -> int:
        """The tokens that are to be expected for a guess."""
        return round(guessed * self.scale)
