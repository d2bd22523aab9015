"""Plans as steps, whichever of its forms the protocol brings them in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from minime_agent.acp.wire import updates
from sidekicks.acp.changes import PlanReplaced
from sidekicks.acp.text import cut
from sidekicks.models import PlanEntry

MAX_PLAN = 200
"""Steps of a plan that are kept."""
MAX_STEP = 10_000
"""Characters of a step."""
MAX_MARKDOWN = 1_000_000
"""Characters of a plan that is text which are looked at."""
_PRIORITIES = frozenset(("high", "medium", "low"))
_STEPS = frozenset(("pending", "in_progress", "completed"))
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(\S.*)")


def plan_entries(entries: Sequence[updates.PlanEntry]) -> tuple[PlanEntry, ...]:
    """The steps of a plan."""
    return tuple(_step(entry) for entry in entries[:MAX_PLAN])


def entries_of(
    plan: updates.PlanItems | updates.PlanFile | updates.PlanMarkdown | updates.UnknownPlan,
) -> PlanReplaced | None:
    """One of several plans; None for one of an unknown kind."""
    match plan:
        case updates.PlanItems(plan_id=plan_id, entries=entries):
            return PlanReplaced(entries=plan_entries(entries), plan_id=plan_id)
        case updates.PlanFile(plan_id=plan_id, uri=uri):
            return PlanReplaced(entries=(PlanEntry(content=cut(uri, MAX_STEP)),), plan_id=plan_id)
        case updates.PlanMarkdown(plan_id=plan_id, content=text):
            return PlanReplaced(entries=_from_markdown(text[:MAX_MARKDOWN]), plan_id=plan_id)
        case updates.UnknownPlan():
            return None


def _from_markdown(text: str) -> tuple[PlanEntry, ...]:
    """The items of its lists; a text without any is one step."""
    items = [found for line in text.splitlines() if (found := _ITEM.match(line)) is not None]
    if not items:
        return (PlanEntry(content=cut(text.strip(), MAX_STEP)),) if text.strip() else ()
    return tuple(
        PlanEntry(content=cut(item[2], MAX_STEP), status="completed" if item[1] in ("x", "X") else "pending")
        for item in items[:MAX_PLAN]
    )


def _step(entry: updates.PlanEntry) -> PlanEntry:
    status: Any = entry.status if entry.status in _STEPS else "pending"
    priority: Any = entry.priority if entry.priority in _PRIORITIES else "medium"
    return PlanEntry(content=cut(entry.content, MAX_STEP), status=status, priority=priority)
