"""What a session runs on and how it goes: for a façade to show."""

from __future__ import annotations

import msgspec

from minime_agent.ui.events import UsageReport


class Status(msgspec.Struct, frozen=True):
    """The model and what its server last counted.

    `window` is in tokens, 0 while nobody told it; `prompt_tokens` is what instructions and tools cost in
    every request, an estimate; `usage` are the counts of the newest answer, None before the first.
    """

    provider: str
    model: str
    address: str
    window: int
    prompt_tokens: int
    usage: UsageReport | None = None

    @property
    def used_tokens(self) -> int:
        """What the conversation takes of the window; before the first answer, what every request takes."""
        if self.usage is None:
            return self.prompt_tokens
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def cache_rate(self) -> float | None:
        """The share of the newest request that the server had read before, 0 to 1; None before the first."""
        if self.usage is None or not self.usage.prompt_tokens:
            return None
        return min(self.usage.cached_tokens / self.usage.prompt_tokens, 1.0)

    @property
    def prefill_speed(self) -> float | None:
        """Tokens per second that the server read; None where it does not tell."""
        return self.usage.prefill_speed if self.usage else None

    @property
    def decode_speed(self) -> float | None:
        """Tokens per second that the model wrote; None where the server does not tell."""
        return self.usage.decode_speed if self.usage else None

    @property
    def sentence(self) -> str:
        """What a banner says: provider, model, address, window."""
        size = f"{self.window} tokens" if self.window else "unknown"
        return (
            f"{self.provider}, {self.model}, {self.address}, window {size}, "
            f"{self.prompt_tokens} of them for instructions and tools"
        )
