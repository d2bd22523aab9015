"""`write_file`: a whole file. It never replaces what the model has not seen."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from minime_agent.fileedit.atomic import write
from minime_agent.fileedit.encoding import NotTextError
from minime_agent.fileedit.textfile import TextFile
from minime_agent.tools.arguments import parse
from minime_agent.tools.files import read_bytes, unwritable
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.workspace import Workspace, call_limit
from minime_agent.ui.events import Diff, Location, Sink


class _Arguments(msgspec.Struct):
    path: str
    content: str


class WriteFile:
    """Creates or replaces a file; `max_tokens` bounds what the model can write in one call."""

    name = "write_file"
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    }

    def __init__(self, max_tokens: int) -> None:
        self._budget = call_limit(max_tokens)

    @property
    def description(self) -> str:
        """What the model is told."""
        return (
            "Create a file, or replace one that you have read, with the whole content. To change a part, "
            f"use edit_file. Over {self._budget} characters: write the first part, then add the rest with "
            "edit_file."
        )

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Refuses to replace a file that this session has not read, or that changed since."""
        wanted = parse(_Arguments, arguments, self.name, self.schema)
        path = workspace.resolve(wanted.path)
        before = await asyncio.to_thread(_existing, path, workspace)
        old = _as_file(before)
        after = _encoded(wanted.content, old, workspace.shown(path))
        diff = Diff(str(path), None if before is None else old.text if old else "(binary)", wanted.content)

        async def run(_sink: Sink, _call_id: str) -> ToolResult:
            return await asyncio.to_thread(_write, path, before, after, diff, old, workspace)

        title = f"{'Write' if before is None else 'Replace'} {workspace.shown(path)}"
        return PreparedCall(title, "edit", run, (Location(str(path)),), (diff,))


def _existing(path: Path, workspace: Workspace) -> bytes | None:
    if not path.exists():
        return None
    shown = workspace.shown(path)
    data = read_bytes(path, shown)
    if not workspace.has_read(path):
        raise ToolFailure(
            f"[error: {shown} exists and you have not read it. Read it with read_file first; "
            "to change a part of it, use edit_file]"
        )
    if not workspace.is_unchanged(path):
        raise ToolFailure(f"[error: {shown} changed since you read it. Read it again with read_file first]")
    return data


def _as_file(data: bytes | None) -> TextFile | None:
    """The file that is replaced, where it is text."""
    try:
        return None if data is None else TextFile.decode(data)
    except NotTextError:
        return None


def _encoded(content: str, old: TextFile | None, shown: str) -> bytes:
    """The content in UTF-8, or in the encoding and with the line ends of the file that it replaces."""
    try:
        return old.encoded(content) if old else content.encode()
    except UnicodeEncodeError as error:
        raise ToolFailure(f"[error: {shown} was not written: {unwritable(error)}]") from None


def _write(
    path: Path, before: bytes | None, after: bytes, diff: Diff, old: TextFile | None, workspace: Workspace
) -> ToolResult:
    shown = workspace.shown(path)
    where = (Location(str(path)),)
    if before == after:
        return ToolResult(f"[{shown} holds exactly this already; nothing was changed]", locations=where)
    try:
        if (path.read_bytes() if path.exists() else None) != before:
            return ToolResult(f"[error: {shown} changed meanwhile. Read it again]", failed=True)
        write(path, after)
    except (FileExistsError, NotADirectoryError):
        return ToolResult(
            f"[error: {shown} was not written: what is above it is a file, no folder]", failed=True
        )
    except OSError as error:
        return ToolResult(f"[error: {shown} was not written: {error.strerror}]", failed=True)
    workspace.note_read(path)
    size = f"{_lines(diff.new_text)} lines, {len(diff.new_text)} characters"
    if before is None:
        return ToolResult(f"[created {shown}: {size}]", diffs=(diff,), locations=where)
    was = f"{_lines(old.text)} lines" if old else f"{len(before)} bytes"
    kept = f"; {said}" if (said := _kept(old)) else ""
    return ToolResult(f"[replaced {shown}: {size}; it had {was}{kept}]", diffs=(diff,), locations=where)


def _lines(text: str) -> int:
    return text.count("\n") + (0 if text.endswith("\n") or not text else 1)


def _kept(old: TextFile | None) -> str:
    """What the new file has from the old one, beyond what is usual; empty where there is nothing."""
    if old is None:
        return ""
    traits = {
        old.encoding: old.encoding != "utf-8",
        "byte order mark": bool(old.mark),
        "CRLF line ends": old.newline == "\r\n",
    }
    kept = [name for name, has in traits.items() if has]
    return f"kept: {', '.join(kept)}" if kept else ""
