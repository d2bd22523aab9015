"""`read_file`: a file, or a range of its lines, with line numbers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from minime_agent.fileedit.encoding import NotTextError
from minime_agent.tools.arguments import parse
from minime_agent.tools.files import is_huge, read_text
from minime_agent.tools.lines import Shown, fitted, part
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.workspace import Workspace
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
    start = max(wanted.start or 1, 1)
    if wanted.end is not None and wanted.end < start:
        raise ToolFailure(f"[error: end ({wanted.end}) is before start ({start})]")
    if is_huge(path):
        return _show_part(path, start, wanted.end, workspace)
    shown = workspace.shown(path)
    _, file = read_text(path, shown)
    workspace.note_read(path)
    lines = file.text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        return f"[{shown} is empty]"
    total = len(lines)
    if start > total:
        raise ToolFailure(f"[error: there is no line {start}; {shown} has {total} lines]")
    fits = fitted(lines[start - 1 : wanted.end], start, workspace.max_output)
    notes: list[str] = []
    if (start, fits.last) != (1, total):
        more = f"; go on with start={fits.last + 1}" if fits.last < total else ""
        notes.append(f"[lines {start} to {fits.last} of {total}{more}]")
    if file.encoding != "utf-8":
        notes.append(f"[read as {file.encoding}]")
    return "\n".join([*fits.rows, *notes, *_cut(fits)])


def _show_part(path: Path, start: int, end: int | None, workspace: Workspace) -> str:
    """Lines of a file that is too large to be read whole; how many it has is not known then."""
    shown = workspace.shown(path)
    try:
        lines, goes_on = part(path, start, 2 * workspace.max_output)
        size = path.stat().st_size >> 20
    except NotTextError as error:
        raise ToolFailure(f"[error: {shown} is not text: {error}]") from None
    except OSError as error:
        raise ToolFailure(f"[error: {shown} cannot be read: {error.strerror}]") from None
    if not lines:
        raise ToolFailure(f"[error: there is no line {start} in {shown}]")
    fits = fitted(lines[: None if end is None else end - start + 1], start, workspace.max_output)
    more = f"; go on with start={fits.last + 1}" if goes_on or fits.last < start + len(lines) - 1 else ""
    note = f"[lines {start} to {fits.last} of a file of {size} MB{more}; bash (grep -n) finds the place]"
    return "\n".join([*fits.rows, note, *_cut(fits)])


def _cut(fits: Shown) -> list[str]:
    if not fits.cut:
        return []
    numbers = ", ".join(map(str, fits.cut[:5])) + (", …" if len(fits.cut) > 5 else "")
    return [f"[cut, for it is very long: line {numbers}; the rest with bash: sed -n {fits.cut[0]}p | cut -c]"]
