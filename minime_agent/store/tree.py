"""A session as a tree: each entry follows another one, and the newest of the branch in use is the leaf."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from minime_agent.store.entries import (
    LEAF,
    VERSION,
    AssistantMessage,
    Custom,
    Entry,
    Header,
    MessageEntry,
    SessionInfo,
    UserMessage,
    decode,
    decode_header,
)
from minime_agent.store.errors import SessionError


class Tree:
    """The entries of one session in the order in which they were written."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.leaf: str | None = None
        self.name = ""
        self.damaged = 0
        """How many lines could not be read."""
        self._entries: dict[str, Entry] = {}

    def __contains__(self, entry_id: str) -> bool:
        return entry_id in self._entries

    @property
    def entries(self) -> Iterable[Entry]:
        """All of them, oldest first."""
        return self._entries.values()

    def add(self, entry: Entry) -> None:
        """Takes an entry, which becomes the leaf (or says what is)."""
        if isinstance(entry, Custom) and entry.custom_type == LEAF:
            self.leaf = entry.parent_id if entry.parent_id in self._entries else None
            return
        if isinstance(entry, SessionInfo):
            self.name = entry.name
        self._entries[entry.id] = entry
        self.leaf = entry.id

    def path(self, leaf: str | None) -> list[Entry]:
        """What leads to an entry, oldest first, with the entry."""
        found: list[Entry] = []
        while leaf is not None:
            entry = self._entries[leaf]
            found.append(entry)
            leaf = entry.parent_id
        return found[::-1]

    def questions(self) -> list[MessageEntry]:
        """The questions on all branches, oldest first."""
        return [
            entry
            for entry in self._entries.values()
            if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage)
        ]


def said(entry: Entry) -> str:
    """The text of a question or an answer; empty for anything else."""
    if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage | AssistantMessage):
        return "\n".join(text for block in entry.message.content if (text := getattr(block, "text", "")))
    return ""


def parse(data: bytes, name: str) -> Tree:
    """The tree of a file's bytes, without its damaged lines; `name`, the file's, is the session's id.

    An entry whose parent is lost follows the entry before it. Raises `SessionError` only for a file of a
    later version.
    """
    first, *lines = data.split(b"\n")
    header = decode_header(first)
    if header is not None and header.version > VERSION:
        raise SessionError(
            f"the session {name} was written by a newer mm (format {header.version}, this one reads "
            f"{VERSION}): update mm, or begin a new session"
        )
    tree = Tree(replace(header, id=name) if header else Header(name, "", "", VERSION))
    tree.damaged += header is None
    last: str | None = None
    for line in lines:
        if not line.strip():
            continue
        if (entry := decode(line)) is None:
            tree.damaged += 1
        elif entry.id not in tree:
            tree.add(_attached(entry, tree, last))
            last = tree.leaf
    return tree


def _attached(entry: Entry, tree: Tree, last: str | None) -> Entry:
    """The entry below one that is there: what names a lost parent follows the entry before it."""
    lost = entry.parent_id is not None and entry.parent_id not in tree
    return replace(entry, parent_id=last) if lost else entry
