"""Sortable ids: ULIDs that rise strictly, whatever the clock does."""

from __future__ import annotations

from ulid import ULID

_ROOM = 1 << 20
"""How many ids fit between two that are made one after the other."""


class Ids:
    """Makes ids of 26 characters, each greater than the one before and than `after`, the newest stored."""

    def __init__(self, after: str = "") -> None:
        self._last = int(ULID.from_str(after)) if after else 0

    def new(self) -> str:
        """The next id."""
        self._last = max(int(ULID()), self._last + _ROOM)
        return str(ULID.from_int(self._last))


def following(id_: str) -> str:
    """The id right after `id_`: of what a message caused, before all that was said since."""
    return str(ULID.from_int(int(ULID.from_str(id_)) + 1))


def preceding(id_: str) -> str:
    """The id right before `id_`: what caused it, or was caused just before it."""
    return str(ULID.from_int(int(ULID.from_str(id_)) - 1))
