"""Sortable ids: ULIDs that rise strictly, whatever the clock does.

Their library takes 12 ms to import: it comes with the first id that is made, not with the start.
"""

from __future__ import annotations

_ROOM = 1 << 20
"""How many ids fit between two that are made one after the other."""


class Ids:
    """Makes ids of 26 characters, each greater than the one before and than `after`, the newest stored."""

    def __init__(self, after: str = "") -> None:
        self._last = after

    def new(self) -> str:
        """The next id."""
        from ulid import ULID

        least = _number(self._last) + _ROOM if self._last else 0
        self._last = _id(max(int(ULID()), least))
        return self._last


def following(id_: str) -> str:
    """The id right after `id_`: of what a message caused, before all that was said since."""
    return _id(_number(id_) + 1)


def preceding(id_: str) -> str:
    """The id right before `id_`: what caused it, or was caused just before it."""
    return _id(_number(id_) - 1)


def shifted(id_: str, by: int) -> str:
    """The id that is `by` further; negative: before it."""
    return _id(_number(id_) + by)


def distance(first: str, last: str) -> int:
    """How far `last` is after `first`; negative: before it."""
    return _number(last) - _number(first)


def _number(id_: str) -> int:
    from ulid import ULID

    return int(ULID.from_str(id_))


def _id(number: int) -> str:
    from ulid import ULID

    return str(ULID.from_int(number))
