"""What is done to a history to make room, as a value, which a session's file can keep."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from minime_agent.compact.mask import mask
from minime_agent.compact.summary import with_notes
from minime_agent.engine.messages import Message

_MESSAGES = 80
"""How many messages are many when the window is unknown: some 20 questions with three calls each."""


class Compaction(msgspec.Struct, frozen=True):
    """One compaction of one history. `masked` are the ids of the calls whose outputs became stubs.

    `notes` stand in place of the messages before `first_kept`; without notes nothing is taken away.
    """

    masked: tuple[str, ...] = ()
    notes: str = ""
    first_kept: int = 0

    def apply(self, history: Sequence[Message]) -> list[Message]:
        """The history as later requests hold it; valid wherever the one before was."""
        kept = with_notes(history, self.first_kept, self.notes) if self.notes else history
        return mask(kept, self.masked)


class Room(msgspec.Struct, frozen=True):
    """The window in tokens (0: unknown) and the share of it at which room is made.

    Much room is made at once, and seldom: after every change of an old message the server reads the whole
    prompt again.
    """

    window: int
    threshold: float

    @property
    def low(self) -> float:
        """What a compaction is to fall below."""
        return self.threshold * self.window * 2 / 3

    def is_full(self, size: int, messages: int) -> bool:
        """Whether room is to be made."""
        return size >= self.threshold * self.window if self.window else messages >= _MESSAGES

    def is_tight(self, size: int) -> bool:
        """Whether so little is left that an answer would be cut: then the running turn gives way, too."""
        return bool(self.window) and size >= (1 + self.threshold) / 2 * self.window

    def is_worth(self, before: int, after: int) -> bool:
        """Whether a compaction gains enough for the prompt to be read again."""
        return after < before and (after <= self.low or before - after >= (self.window or before) / 10)
