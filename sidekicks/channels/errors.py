"""What a channel refuses."""

from __future__ import annotations


class ChannelError(Exception):
    """Something that can't be done with a channel; the message is one sentence for the user."""
