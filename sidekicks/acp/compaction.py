"""An agent that summarises its conversation: one line in the answer, the summary among the thoughts."""

from __future__ import annotations

from minime_agent.acp.wire import updates
from sidekicks.acp.changes import Change, TextAdded, ThoughtAdded
from sidekicks.acp.text import block_text, cut

MAX_KNOWN = 1_000
"""Compactions of a session that are told apart; of more, a summary may come twice."""
MAX_SUMMARY = 100_000
"""Characters of a summary that comes whole."""
DONE = "The conversation was compacted: the agent goes on with a summary of it."
FAILED = "The conversation could not be compacted"


class Compactions:
    """The compactions of one session."""

    def __init__(self) -> None:
        self._streamed: set[str] = set()
        self._over: set[str] = set()

    def chunk(self, update: updates.CompactionSummaryChunk) -> Change:
        """More of a summary."""
        if len(self._streamed) < MAX_KNOWN:
            self._streamed.add(update.compaction_id[:MAX_KNOWN])
        return ThoughtAdded(text=block_text(update.content))

    def changed(self, update: updates.CompactionUpdate) -> tuple[Change, ...]:
        """What there is to say: something only once it is over, and that once."""
        id_ = update.compaction_id[:MAX_KNOWN]
        if update.status not in ("completed", "failed") or id_ in self._over:
            return ()
        if len(self._over) < MAX_KNOWN:
            self._over.add(id_)
        if update.status == "failed":
            line = f"{FAILED}: {cut(update.error, MAX_KNOWN)}" if update.error else f"{FAILED}."
            return (TextAdded(text=f"\n\n> {line}\n\n"),)
        summary = "" if id_ in self._streamed else "\n".join(map(block_text, update.summary or ()))
        thought = (ThoughtAdded(text=cut(summary, MAX_SUMMARY)),) if summary else ()
        return (*thought, TextAdded(text=f"\n\n> {DONE}\n\n"))
