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
from minime_agent.tools.files import read_bytes
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
        diff = Diff(str(path), _as_text(before), wanted.content)

        async def run(_sink: Sink, _call_id: str) -> ToolResult:
            return await asyncio.to_thread(_write, path, wanted.content, before, diff, workspace)

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


def _as_text(data: bytes | None) -> str | None:
    if data is None:
        return None
    try:
        return TextFile.decode(data).text
    except NotTextError:
        return "(binary)"


def _write(path: Path, content: str, before: bytes | None, diff: Diff, workspace: Workspace) -> ToolResult:
    shown = workspace.shown(path)
    try:
        if (path.read_bytes() if path.exists() else None) != before:
            return ToolResult(f"[error: {shown} changed meanwhile. Read it again]", failed=True)
        write(path, content.encode())
    except (OSError, UnicodeEncodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it holds characters that are not text"
        return ToolResult(f"[error: {shown} was not written: {reason}]", failed=True)
    workspace.note_read(path)
    lines = content.count("\n") + (0 if content.endswith("\n") or not content else 1)
    done = (
        f"[{'created' if before is None else 'replaced'} {shown}: {lines} lines, {len(content)} characters]"
    )
    return ToolResult(done, diffs=(diff,), locations=(Location(str(path)),))
