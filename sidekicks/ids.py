"""Sortable ids: ULIDs that rise strictly, whatever the clock does."""

from __future__ import annotations

from ulid import ULID


class Ids:
    """Makes ids of 26 characters, each greater than the one before and than `after`, the newest stored."""

    def __init__(self, after: str = "") -> None:
        self._last = ULID.from_str(after) if after else ULID.from_int(0)

    def new(self) -> str:
        """The next id."""
        fresh = ULID()
        self._last = fresh if fresh > self._last else ULID.from_int(int(self._last) + 1)
        return str(self._last)
