"""Choosing among the sessions of a folder: a numbered list, and a line that says which."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from minime_agent.store.sessions import Listed, SessionStore

_SHOWN = 30


def choose(store: SessionStore, cwd: Path) -> Path | None:
    """The file of the session that the person chose; None when there is none, or they chose none."""
    rows = rows_of(store, cwd)
    if not rows:
        sys.stdout.write(f"there are no sessions of {cwd}\n")
        return None
    for line in listed(rows):
        sys.stdout.write(f"{line}\n")
    return _chosen(rows)


def rows_of(store: SessionStore, cwd: Path) -> Sequence[Listed]:
    """The newest sessions of the folder."""
    return store.list(cwd)[:_SHOWN]


def listed(rows: Sequence[Listed]) -> list[str]:
    """A numbered line for each."""
    return [
        f"{number:3}  {row.updated.astimezone():%Y-%m-%d %H:%M}  {row.shown}"
        for number, row in enumerate(rows, 1)
    ]


def _chosen(rows: Sequence[Listed]) -> Path | None:
    while True:
        try:
            answer = input(f"Which one? 1 to {len(rows)}, Enter for none: ").strip()
        except (EOFError, KeyboardInterrupt):
            sys.stdout.write("\n")
            return None
        if not answer:
            return None
        if answer.isdecimal() and 1 <= int(answer) <= len(rows):
            return rows[int(answer) - 1].path
