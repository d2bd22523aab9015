"""What a session can't do, in a sentence for the person."""

from __future__ import annotations


class SessionError(Exception):
    """A session cannot be found, read or written; the message says which and what to do."""
