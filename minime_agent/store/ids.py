"""Ids of sessions and entries: ULIDs, so that their order is that of time.

Made here because `python-ulid` takes 8 ms to import, and every `mm -p` needs an id before its first request.
"""

from __future__ import annotations

import os
import time

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH = 26


def new_id() -> str:
    """A ULID: 48 bits of milliseconds, 80 random ones, as 26 digits of Crockford's base 32."""
    number = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10))
    return "".join(_DIGITS[number >> shift & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))
