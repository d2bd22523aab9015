"""Which stored session a façade begins with: a new one, the last of the folder, or one that was named."""

from __future__ import annotations

from pathlib import Path

import msgspec

from minime_agent.engine.recorder import Recorder
from minime_agent.store.sessions import SessionStore


class Wanted(msgspec.Struct, frozen=True):
    """What the person asked for. `session` is an id, the start of one, a name or a path; `name` names it."""

    keep: bool = True
    last: bool = False
    session: str = ""
    name: str = ""


def open_recorder(store: SessionStore, wanted: Wanted, cwd: Path) -> Recorder | None:
    """The session to go on with; None when nothing is to be kept. Raises `SessionError`."""
    if not wanted.keep:
        return None
    if wanted.session:
        file = store.open(store.find(wanted.session, cwd))
    elif wanted.last and (rows := store.list(cwd)):
        file = store.open(rows[0].path)
    else:
        file = store.new(cwd)
    recorder = Recorder(file)
    if wanted.name and wanted.name != file.tree.name:
        recorder.name(wanted.name)
    return recorder
