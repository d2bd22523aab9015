"""Arguments that a model writes without end: a pattern that repeats, or more than any call needs."""

from __future__ import annotations

MOST = 256 * 1024
"""Characters of one call's arguments."""
_LAST = 256
_PERIODS = range(4, 65)


class RunawayCall(Exception):  # noqa: N818 (told to the model, not an error of the program)
    """The arguments of a call do not end; what is left of the answer is not waited for."""


class RunawayGuard:
    """Watches the arguments of one call as they come, in time that does not grow with them."""

    def __init__(self) -> None:
        self._tail = ""
        self._length = 0

    def feed(self, piece: str) -> None:
        """Takes the next piece; raises `RunawayCall` when its end is a pattern that fills the last 256."""
        self._length += len(piece)
        self._tail = (self._tail + piece)[-_LAST:]
        if self._length > MOST:
            raise RunawayCall(f"they are longer than {MOST} characters")
        tail = self._tail
        if len(tail) == _LAST and any(tail[period:] == tail[:-period] for period in _PERIODS):
            raise RunawayCall("they repeat themselves without end")
