"""One session's file while mm has it open: whatever happens is appended at once, and nothing is rewritten."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec.structs import replace

from minime_agent.folders import private_folder
from minime_agent.lock import try_lock
from minime_agent.store import tree as trees
from minime_agent.store.entries import (
    LEAF,
    Custom,
    Entry,
    Known,
    MessageEntry,
    encode,
    now,
)
from minime_agent.store.errors import SessionError
from minime_agent.store.ids import new_id
from minime_agent.store.tree import Tree

_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
_TITLE = 80


class SessionFile:
    """A session's tree, and the file that follows it. Only one of all processes has a session open.

    A new session's file is made with its first message: nobody who only looked in leaves one behind.
    """

    def __init__(self, path: Path, tree: Tree, handle: int | None = None, *, torn: bool = False) -> None:
        self.path = path
        self.tree = tree
        self.problem = ""
        """Why the newest entries are not on the disk; empty when they are."""
        self._handle = handle
        self._torn = torn
        self._waiting: list[Known] = []

    @classmethod
    def open(cls, path: Path) -> SessionFile:
        """Opens a session to go on with it. Raises `SessionError`."""
        try:
            handle = os.open(path, _FLAGS)
        except OSError as error:
            raise SessionError(f"the session {path} cannot be opened: {error.strerror}") from None
        try:
            if not try_lock(handle):
                raise SessionError(
                    f"the session {path.stem} is open in another mm: end that one, choose another session "
                    "(mm -r), or begin a new one"
                )
            data = path.read_bytes()
            return cls(path, trees.parse(data, path.stem), handle, torn=not data.endswith(b"\n"))
        except BaseException:
            os.close(handle)
            raise

    @property
    def id(self) -> str:
        """The session's id."""
        return self.tree.header.id

    def append(self, entry: Known) -> None:
        """Takes an entry and writes it. What can't be written now is tried again with the next one."""
        self.tree.add(entry)
        self._waiting.append(entry)
        if self._handle is None and not any(isinstance(one, MessageEntry) for one in self._waiting):
            return
        try:
            self._write()
        except OSError as error:
            self.problem = f"the session cannot be saved in {self.path}: {error.strerror}"
        else:
            self.problem = ""
            self._waiting.clear()

    def move(self, entry_id: str | None) -> None:
        """Makes an entry the leaf: what comes next follows it. None: before the first."""
        if entry_id != self.tree.leaf:
            self.append(Custom(id=new_id(), parent_id=entry_id, timestamp=now(), custom_type=LEAF))

    def close(self) -> None:
        """Lets another process have the session."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _write(self) -> None:
        data = b"".join(encode(entry) for entry in self._waiting)
        if self._handle is None:
            self._handle = self._begun(data)
            return
        # A line that was cut is lost; it must not take the next one with it.
        data = b"\n" + data if self._torn else data
        self._torn = True
        _write_all(self._handle, data)
        self._torn = False

    def _begun(self, data: bytes) -> int:
        """A new file with the header and `data`, or none."""
        title = next((text for entry in self._waiting if (text := _title(entry))), "")
        self.tree.header = replace(self.tree.header, title=title)
        private_folder(self.path.parent)
        handle = os.open(self.path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            try_lock(handle)
            _write_all(handle, encode(self.tree.header) + data)
        except BaseException:
            os.close(handle)
            self.path.unlink()
            raise
        return handle


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _title(entry: Entry) -> str:
    text = " ".join(trees.said(entry)[: 10 * _TITLE].split())
    return text if len(text) <= _TITLE else f"{text[: _TITLE - 1]}…"
