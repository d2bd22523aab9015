"""What every message of the protocol is made of. Reference: Agent Client Protocol, version 1."""

from __future__ import annotations

import msgspec


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Base of all messages: immutable, camelCase on the line, defaults left out, unknown fields ignored."""

    meta: dict[str, object] | None = msgspec.field(default=None, name="_meta")


class Params(Wire, frozen=True):
    """Base of what a request or a notification carries: an invalid item in one of its lists is an error."""


class Unknown(Wire, frozen=True):
    """A variant that this version doesn't know: `kind` is its tag, `raw` the whole object as it came.

    It exists so that newer peers never break older ones; it is never sent.
    """

    kind: str = ""
    raw: dict[str, object] = msgspec.field(default_factory=dict[str, object])


class Empty(Wire, frozen=True):
    """A capability without details, or a result without content: `{}`."""
