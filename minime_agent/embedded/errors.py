"""The one exception of the embedded model."""

from __future__ import annotations


class EmbeddedError(Exception):
    """The embedded model can't answer; the text is one sentence that says why and what to do."""
