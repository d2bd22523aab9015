"""Sessions that an agent keeps, as it lists them."""

from __future__ import annotations

from minime_agent.acp.wire.sessions import SessionInfo
from sidekicks.acp.text import short
from sidekicks.models import StoredSession

MAX_TITLE = 200
"""Characters of a title."""


def stored_session(info: SessionInfo) -> StoredSession:
    """One of them; some agents take a title from the first words that were said, however long."""
    return StoredSession(
        session_id=info.session_id,
        cwd=info.cwd,
        title=short(" ".join((info.title or "")[:10_000].split()), MAX_TITLE),
        updated_at=short(info.updated_at or "", MAX_TITLE),
    )
