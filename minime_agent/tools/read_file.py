"""`read_file`: a file, or a range of its lines, with line numbers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from minime_agent.tools.arguments import parse
from minime_agent.tools.files import read_text
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.workspace import Workspace, clip
from minime_agent.ui.events import Location, Sink


class _Arguments(msgspec.Struct):
    path: str
    start: int | None = None
    end: int | None = None


class ReadFile:
    """Shows a file to the model; that is also what allows write_file to replace it."""

    name = "read_file"
    description = (
        "Read a text file, all or lines start to end. Each line comes as number, tab, text. "
        "Read before you edit: edit_file needs the exact text."
    )
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "start": {"type": "integer"},
            "end": {"type": "integer"},
        },
        "required": ["path"],
    }

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Checks the arguments; what is wrong with the file itself is said when it is read."""
        wanted = parse(_Arguments, arguments, self.name, self.schema)
        path = workspace.resolve(wanted.path)

        async def run(_sink: Sink, _call_id: str) -> ToolResult:
            try:
                text = await asyncio.to_thread(_show, path, wanted, workspace)
            except ToolFailure as failure:
                return ToolResult(str(failure), failed=True)
            return ToolResult(text, locations=locations)

        locations = (Location(str(path), wanted.start),)
        return PreparedCall(f"Read {workspace.shown(path)}", "read", run, locations)


def _show(path: Path, wanted: _Arguments, workspace: Workspace) -> str:
    shown = workspace.shown(path)
    _, file = read_text(path, shown)
    workspace.note_read(path)
    lines = file.text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        return f"[{shown} is empty]"
    start = max(wanted.start or 1, 1)
    end = min(wanted.end or len(lines), len(lines))
    if start > end:
        return f"[error: no lines {start} to {end}; {shown} has {len(lines)} lines]"
    rows, last = _fit(lines, start, end, workspace.max_output)
    if last == len(lines) and start == 1:
        return rows
    more = f"; go on with start={last + 1}" if last < len(lines) else ""
    return f"{rows}\n[lines {start} to {last} of {len(lines)}{more}]"


def _fit(lines: list[str], start: int, end: int, limit: int) -> tuple[str, int]:
    """As many numbered lines as fit, at least one; and the number of the last."""
    rows: list[str] = []
    size = 0
    for number in range(start, end + 1):
        row = f"{number}\t{clip(lines[number - 1], limit, 'one long line')}"
        size += len(row) + 1
        if rows and size > limit:
            break
        rows.append(row)
    return "\n".join(rows), start + len(rows) - 1
