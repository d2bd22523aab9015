"""All sessions of the user: making, listing, finding, branching, deleting them."""

from __future__ import annotations

import mmap
import os
import re
import zlib
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from minime_agent.folders import data_folder
from minime_agent.store.entries import (
    VERSION,
    Header,
    OtherEntry,
    SessionInfo,
    decode,
    decode_header,
    now,
)
from minime_agent.store.errors import SessionError
from minime_agent.store.file import SessionFile
from minime_agent.store.ids import new_id
from minime_agent.store.tree import Tree, parse

_NAME_LINE = b'\n{"type":"session_info"'
"""Begins a line and nothing else: in a text the quotes and the line feed would be escaped."""
_FIRST_LINE = 1 << 16


class Listed(msgspec.Struct, frozen=True):
    """A stored session. `cwd` is empty where its first line is damaged."""

    id: str
    path: Path
    cwd: str
    name: str
    title: str
    created: str
    updated: datetime

    @property
    def shown(self) -> str:
        """What a person knows it by: its name, else its first question."""
        return self.name or self.title or self.id


class SessionStore:
    """The folder of sessions. Methods raise `SessionError`."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder() / "sessions"

    def new(self, cwd: Path, parent: str = "") -> SessionFile:
        """A session in the folder `cwd`; on the disk once something was said."""
        header = Header(new_id(), str(cwd), now(), VERSION, parent_session=parent)
        return SessionFile(self._of(str(cwd)) / f"{header.id}.jsonl", Tree(header))

    def open(self, path: Path) -> SessionFile:
        """A stored session, to go on with it."""
        return SessionFile.open(path)

    def read(self, path: Path) -> Tree:
        """A stored session as it is now, whoever has it open."""
        try:
            return parse(path.read_bytes(), path.stem)
        except OSError as error:
            raise SessionError(f"the session {path} cannot be read: {error.strerror}") from None

    def branch(self, tree: Tree, leaf: str | None, cwd: Path) -> SessionFile:
        """A session of its own in the folder `cwd` that begins with what leads to `leaf`."""
        new = self.new(cwd, tree.header.id)
        for entry in tree.path(leaf):
            if not isinstance(entry, SessionInfo | OtherEntry):  # the name stays with the other one
                new.append(replace(entry, parent_id=new.tree.leaf))
        return new

    def list(self, cwd: Path | None = None) -> list[Listed]:
        """The sessions of a folder, or all, the one that was used last first."""
        folder = "*" if cwd is None else self._of(str(cwd)).name
        rows = [row for path in self.folder.glob(f"{folder}/*.jsonl") if (row := _listed(path))]
        if cwd is not None:
            rows = [row for row in rows if row.cwd in ("", str(cwd))]
        return sorted(rows, key=lambda row: (row.updated, row.id), reverse=True)

    def find(self, wanted: str, cwd: Path) -> Path:
        """The file of a session: by its path, its name, or its id or the start of it.

        Sessions of the folder `cwd` go before those of others.
        """
        path = Path(wanted).expanduser()
        if path.suffix == ".jsonl":
            if not path.is_file():
                raise SessionError(f"there is no session file {path}")
            return path
        for rows in (self.list(cwd), self.list()):
            named = [row for row in rows if row.name == wanted]
            found = named or [row for row in rows if row.id.startswith(wanted.upper())]
            if len(found) == 1:
                return found[0].path
            if found:
                rest = ", ".join(f"{row.id} ({row.shown})" for row in found[:5])
                raise SessionError(f"several sessions fit {wanted!r}: {rest}")
        raise SessionError(f"there is no session {wanted!r}; mm -r lists those of the folder")

    def path(self, session_id: str) -> Path | None:
        """The file of the session of that very id."""
        if not re.fullmatch(r"[\w-]+", session_id):
            return None
        return next(self.folder.glob(f"*/{session_id}.jsonl"), None)

    def delete(self, path: Path) -> None:
        """Deletes a session that no process has open."""
        self.open(path).close()
        path.unlink(missing_ok=True)

    def _of(self, cwd: str) -> Path:
        """Where the sessions of a folder lie; names of folders may be long, or no names for files."""
        readable = re.sub(r"[^\w.-]+", "-", Path(cwd).name)[:40] or "root"
        return self.folder / f"{readable}-{zlib.crc32(os.path.normcase(cwd).encode('utf-8', 'replace')):08x}"


def _listed(path: Path) -> Listed | None:
    """What a list says of a file, from its first line and its last name; None when it is gone meanwhile."""
    try:
        with path.open("rb") as file:
            header = decode_header(file.readline(_FIRST_LINE))
            state = os.fstat(file.fileno())
            name = _last_name(file.fileno()) if state.st_size else ""
    except OSError:
        return None
    header = header or Header(path.stem, "", "", VERSION)
    updated = datetime.fromtimestamp(state.st_mtime, UTC)
    return Listed(path.stem, path, header.cwd, name, header.title, header.timestamp, updated)


def _last_name(handle: int) -> str:
    with mmap.mmap(handle, 0, access=mmap.ACCESS_READ) as data:
        at = data.rfind(_NAME_LINE)
        if at < 0:
            return ""
        data.seek(at + 1)
        entry = decode(data.readline())
    return entry.name if isinstance(entry, SessionInfo) else ""
