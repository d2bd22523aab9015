"""One language server for one folder: started on first use, told of every change, asked about code."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from minime_agent.lsp import documents
from minime_agent.lsp.connection import Connection, LspError, Message
from minime_agent.lsp.shapes import (
    Capabilities,
    Diagnostic,
    Diagnostics,
    Hover,
    Initialized,
    Place,
    Position,
    Symbol,
)

T = TypeVar("T")

START = 30.0
ANSWER = 20.0
"""Seconds. A server reads a whole project before its first answer."""
_QUIET = 0.5
_QUIET_AFTER_CHANGES = 3.0
"""Seconds without news after which diagnostics that are published are taken as complete."""
_MOST_STARTS = 3
_CHANGED, _DELETED = 2, 3

_CLIENT: Mapping[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "textDocument": {
        "synchronization": {},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {"linkSupport": True},
        "references": {},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "publishDiagnostics": {"versionSupport": True},
        "diagnostic": {},
    },
}


class Server:
    """Answers questions about files of `root`; every method raises `LspError`."""

    def __init__(
        self, language: str, command: Sequence[str], root: Path, start: float = START, answer: float = ANSWER
    ) -> None:
        self._language = language
        self._command = command
        self._name = Path(command[0]).name
        self._root = root
        self._start_seconds, self._answer_seconds = start, answer
        self._connection: Connection | None = None
        self._can = Capabilities()
        self._starts = 0
        self._open: dict[Path, tuple[int, str]] = {}
        self._stamps: dict[Path, int] = {}
        self._published: dict[Path, Diagnostics] = {}
        self._news = asyncio.Event()
        self._others_changed = False

    async def close(self) -> None:
        """Ends the server; a later question starts it again."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def definition(self, path: Path, at: Position) -> list[Place]:
        """Where what stands there is defined."""
        self._need(self._can.definition_provider, "definition")
        return await self._places("definition", path, at)

    async def references(self, path: Path, at: Position) -> list[Place]:
        """Where it is used, the definition among them."""
        self._need(self._can.references_provider, "references")
        return await self._places("references", path, at, context={"includeDeclaration": True})

    async def hover(self, path: Path, at: Position) -> Hover | None:
        """What is known of it."""
        self._need(self._can.hover_provider, "hover")
        return await self._ask("textDocument/hover", _at(path, at), Hover | None)

    async def symbols(self, path: Path) -> list[Symbol]:
        """What the file defines."""
        self._need(self._can.document_symbol_provider, "symbols")
        document = {"textDocument": {"uri": path.as_uri()}}
        return await self._ask("textDocument/documentSymbol", document, list[Symbol] | None) or []

    async def diagnostics(self, path: Path) -> Sequence[Diagnostic]:
        """What is wrong in the file."""
        if self._can.diagnostic_provider is not None:
            document = {"textDocument": {"uri": path.as_uri()}}
            return (await self._ask("textDocument/diagnostic", document, Diagnostics)).items
        await self._quiet(path)
        found = self._published.get(path)
        if found is None:
            raise LspError(f"{self._name} said nothing about the file within {self._answer_seconds:g}s")
        return found.diagnostics

    async def sync(self, path: Path, files: Sequence[Path]) -> None:
        """Starts the server if need be; tells it which `files` changed and what the open ones hold now."""
        connection = await self._connected()
        await self._tell_changes(connection, await asyncio.to_thread(_stamps, files))
        for opened in {*self._open, path}:
            await self._tell_text(connection, opened, await asyncio.to_thread(_text, opened))

    async def _tell_text(self, connection: Connection, path: Path, text: str | None) -> None:
        version, known = self._open.get(path, (0, None))
        if text == known:
            return
        document: dict[str, object] = {"uri": path.as_uri()}
        self._published.pop(path, None)
        if text is None:
            del self._open[path]
            await connection.notify("textDocument/didClose", {"textDocument": document})
            return
        self._open[path] = (version + 1, text)
        document["version"] = version + 1
        if known is None:
            document |= {"languageId": documents.language_id(path, self._language), "text": text}
            await connection.notify("textDocument/didOpen", {"textDocument": document})
            return
        change = {"textDocument": document, "contentChanges": [{"text": text}]}
        await connection.notify("textDocument/didChange", change)

    async def _tell_changes(self, connection: Connection, stamps: dict[Path, int]) -> None:
        """Files that commands and other tools changed; nobody watches the folder for the server."""
        before, self._stamps = self._stamps, stamps
        if not before:
            return
        changed = [path for path, stamp in stamps.items() if before.get(path) != stamp]
        events = [{"uri": path.as_uri(), "type": _CHANGED} for path in changed]
        events += [{"uri": path.as_uri(), "type": _DELETED} for path in before if path not in stamps]
        if events:
            self._others_changed = True
            await connection.notify("workspace/didChangeWatchedFiles", {"changes": events})

    async def _connected(self) -> Connection:
        if self._connection is not None and not self._connection.ended:
            return self._connection
        await self.close()
        if self._starts >= _MOST_STARTS:
            raise LspError(f"{self._name} ended {self._starts} times and is not started again")
        self._starts += 1
        self._open.clear()
        self._stamps.clear()
        self._published.clear()
        self._connection = connection = await Connection.start(self._command, self._root, self._noticed)
        uri = self._root.as_uri()
        hello = {
            "processId": os.getpid(),
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": self._root.name}],
            "capabilities": _CLIENT,
        }
        try:
            answer = await connection.request("initialize", hello, Initialized, self._start_seconds)
            await connection.notify("initialized", {})
        except BaseException:
            await self.close()
            raise
        self._can = answer.capabilities
        return connection

    def _noticed(self, message: Message) -> None:
        if message.method == "textDocument/publishDiagnostics":
            found = msgspec.json.decode(message.params, type=Diagnostics)
            # Servers write URIs in their own way.
            path = documents.path_of(found.uri)
            if found.version is None or found.version >= self._open.get(path, (0, ""))[0]:
                self._published[path] = found
                self._news.set()

    async def _quiet(self, path: Path) -> None:
        """Waits for the file's diagnostics: servers send them several times, the quick checks first."""
        # What changed elsewhere may take a server a while, and may lead to nothing new here.
        quiet = _QUIET_AFTER_CHANGES if self._others_changed else _QUIET
        self._others_changed = False
        try:
            async with asyncio.timeout(self._answer_seconds):
                while path not in self._published:
                    self._news.clear()
                    await self._news.wait()
                while True:
                    self._news.clear()
                    async with asyncio.timeout(quiet):
                        await self._news.wait()
                    quiet = _QUIET
        except TimeoutError:
            return

    async def _places(self, question: str, path: Path, at: Position, **more: object) -> list[Place]:
        params = {**_at(path, at), **more}
        answer: list[Place] | Place | None = await self._ask(
            f"textDocument/{question}", params, list[Place] | Place | None
        )
        return answer if isinstance(answer, list) else [answer] if answer is not None else []

    async def _ask(self, method: str, params: object, kind: type[T] | Any) -> T:
        assert self._connection is not None, "sync comes first"
        return await self._connection.request(method, params, kind, self._answer_seconds)

    def _need(self, can: object, what: str) -> None:
        # An empty mapping of options is a yes.
        if can is None or can is False:
            raise LspError(f"{self._name} can't do {what}")


def _at(path: Path, at: Position) -> dict[str, Any]:
    return {"textDocument": {"uri": path.as_uri()}, "position": msgspec.to_builtins(at)}


def _stamps(files: Sequence[Path]) -> dict[Path, int]:
    stamps: dict[Path, int] = {}
    for path in files:
        with suppress(OSError):  # git lists files that are deleted
            stamps[path] = path.stat().st_mtime_ns
    return stamps


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return None
