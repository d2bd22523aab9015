"""`lsp`: what a language server knows of the code, by line and name instead of line and column."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from minime_agent.config.settings import LanguageServer
from minime_agent.lsp import documents, replies
from minime_agent.lsp.connection import LspError
from minime_agent.lsp.server import ANSWER, START, Server
from minime_agent.tools.arguments import parse
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.walk import list_files, place
from minime_agent.tools.workspace import Workspace, clip
from minime_agent.ui.events import Location, Sink

Action: TypeAlias = Literal["definition", "references", "hover", "diagnostics", "symbols"]


class _Arguments(msgspec.Struct):
    action: Action
    path: str
    line: int | None = None
    symbol: str = ""


def installed(servers: Mapping[str, LanguageServer]) -> dict[str, LanguageServer]:
    """Those whose program is on PATH, with its whole path."""
    from shutil import which

    found: dict[str, LanguageServer] = {}
    for language, server in servers.items():
        name, *arguments = server.arguments or ("",)
        if name and (program := which(name)) is not None:
            found[language] = LanguageServer((program, *arguments), server.extensions)
    return found


class Lsp:
    """Starts each server at the first question about one of its files; `close` ends them.

    `start` and `answer` are the seconds that a server has.
    """

    name = "lsp"
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "action": {
                "type": "string",
                "enum": ["definition", "references", "hover", "diagnostics", "symbols"],
            },
            "path": {"type": "string"},
            "line": {"type": "integer"},
            "symbol": {"type": "string"},
        },
        "required": ["action", "path"],
    }

    def __init__(
        self, servers: Mapping[str, LanguageServer], start: float = START, answer: float = ANSWER
    ) -> None:
        self._configured = servers
        self._seconds = (start, answer)
        self._running: dict[tuple[str, Path], Server] = {}
        self._lock = asyncio.Lock()

    @property
    def description(self) -> str:
        """What the model is told."""
        return (
            f"Ask the language server ({', '.join(sorted(self._configured))}). definition, references, "
            "hover: give path, line and symbol (a name in that line). diagnostics (errors) and symbols "
            "(outline): give path. Better than grep for where a name is defined or used."
        )

    async def close(self) -> None:
        """Ends the servers."""
        servers = list(self._running.values())
        self._running.clear()
        await asyncio.gather(*(server.close() for server in servers))

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Refuses a file that is not there or that no server is for."""
        wanted = parse(_Arguments, arguments, self.name, self.schema)
        path = place(wanted.path, workspace)
        if not path.is_file():
            raise ToolFailure(f"[error: {workspace.shown(path)} is a folder; name a file]")
        language = self._language(path, workspace)

        async def run(_sink: Sink, _call_id: str) -> ToolResult:
            try:
                text = await self._ask(wanted, path, language, workspace)
            except LspError as error:
                return ToolResult(f"[error: {error}. Use grep or read_file instead]", failed=True)
            except documents.NoSuchSymbol as error:
                return ToolResult(f"[error: {error}]", failed=True)
            except ToolFailure as failure:
                return ToolResult(str(failure), failed=True)
            except OSError as error:
                return ToolResult(f"[error: the file cannot be read: {error.strerror}]", failed=True)
            return ToolResult(clip(text, workspace.max_output, "ask about one symbol"), locations=locations)

        locations = (Location(str(path), wanted.line),)
        what = f" of {wanted.symbol}" if wanted.symbol else ""
        return PreparedCall(
            f"{wanted.action.title()}{what} in {workspace.shown(path)}", "search", run, locations
        )

    def _language(self, path: Path, workspace: Workspace) -> str:
        for language in self._configured:
            if path.suffix.lower() in self._extensions(language):
                return language
        known = sorted({ext for language in self._configured for ext in self._extensions(language)})
        raise ToolFailure(
            f"[error: no language server is configured for {workspace.shown(path)}; there are some for "
            f"{', '.join(known) or 'no files'}. Use grep or read_file]"
        )

    def _extensions(self, language: str) -> tuple[str, ...]:
        return self._configured[language].extensions or documents.EXTENSIONS.get(language, ())

    async def _ask(self, wanted: _Arguments, path: Path, language: str, workspace: Workspace) -> str:
        async with self._lock:
            server = self._running.get((language, workspace.cwd))
            if server is None:
                command = self._configured[language].arguments
                server = Server(language, command, workspace.cwd, *self._seconds)
                self._running[language, workspace.cwd] = server
            listing = await list_files(workspace.cwd)
            extensions = self._extensions(language)
            files = [listing.root / name for name in listing.paths if name.lower().endswith(extensions)]
            await server.sync(path, files)
            return await _answer(server, wanted, path, workspace)


async def _answer(server: Server, wanted: _Arguments, path: Path, workspace: Workspace) -> str:
    shown = workspace.shown(path)
    if wanted.action == "diagnostics":
        found = await server.diagnostics(path)
        return replies.diagnostics(found, shown) or f"[no errors or warnings in {shown}]"
    if wanted.action == "symbols":
        return replies.outline(await server.symbols(path)) or f"[{shown} defines nothing]"
    text = await asyncio.to_thread(path.read_text, "utf-8", "replace")
    at = documents.find(text, wanted.line, wanted.symbol)
    asked = f"{wanted.symbol or 'it'} ({shown}:{at.line + 1})"
    match wanted.action:
        case "hover":
            return replies.hover(await server.hover(path, at)) or f"[nothing is known of {asked}]"
        case "definition":
            places = await server.definition(path, at)
            return replies.places(places, workspace.shown) or f"[no definition of {asked} was found]"
        case "references":
            places = await server.references(path, at)
            return replies.places(places, workspace.shown) or f"[no use of {asked} was found]"
