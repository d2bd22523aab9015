"""`edit_file`: exact replacements in a file; the rules are in `fileedit`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from minime_agent.fileedit.atomic import write
from minime_agent.fileedit.edits import Edit, EditRefused, Span, resolve, told
from minime_agent.fileedit.numbered import numbered_diff
from minime_agent.tools.arguments import parse
from minime_agent.tools.files import read_text, unwritable
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.workspace import Workspace, clip
from minime_agent.ui.events import Diff, Location, Sink


class _Arguments(msgspec.Struct):
    path: str
    edits: list[Edit]
    dry_run: bool = False


class _Change(msgspec.Struct, frozen=True):
    """An edit as it was shown to the person: from these bytes to those."""

    path: Path
    before: bytes
    after: bytes
    reply: str
    diff: Diff
    line: int


class EditFile:
    """Replaces unique pieces of text."""

    name = "edit_file"
    description = (
        "Change parts of a file. 1. Read it first; copy old exactly, without line numbers. "
        "2. Each old must stand exactly once in the file: add lines around it until it does. "
        "3. All edits apply to the file as it is now; they must not overlap. "
        "4. If refused, fix old as the reply says; do not force it with write_file or sed."
    )
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                    "required": ["old", "new"],
                },
            },
            "dry_run": {"type": "boolean"},
        },
        "required": ["path", "edits"],
    }

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Works the change out against the file as it is, so that a person can see it first."""
        wanted = parse(_Arguments, arguments, self.name, self.schema)
        change = await asyncio.to_thread(_plan, wanted, workspace)
        location = Location(str(change.path), change.line)

        async def run(_sink: Sink, _call_id: str) -> ToolResult:
            if wanted.dry_run:
                return ToolResult(f"[dry run, nothing was written]\n{change.reply}", locations=(location,))
            return await asyncio.to_thread(_apply, change, workspace)

        title = f"Edit {workspace.shown(change.path)}"
        return PreparedCall(title, "edit", run, (location,), (change.diff,))


def _plan(wanted: _Arguments, workspace: Workspace) -> _Change:
    path = workspace.resolve(wanted.path)
    shown = workspace.shown(path)
    data, file = read_text(path, shown)
    try:
        spans = resolve(file.text, wanted.edits)
    except EditRefused as refusal:
        raise ToolFailure(f"[error: {shown} was not changed: {refusal}]", path=str(path)) from None
    try:
        after = file.replaced([(span.start, span.end, span.new) for span in spans])
    except UnicodeEncodeError as error:
        raise ToolFailure(f"[error: {shown} was not changed: {unwritable(error)}]") from None
    count = f"{len(spans)} edit{'s' if len(spans) > 1 else ''}"
    notes = f"; {said}" if (said := told(spans)) else ""
    reply = clip(f"[{shown}: {count}{notes}]\n{numbered_diff(file.text, spans)}", workspace.max_output)
    diff = Diff(str(path), file.text, _joined(file.text, spans))
    return _Change(path, data, after, reply, diff, file.text.count("\n", 0, spans[0].start) + 1)


def _joined(text: str, spans: list[Span]) -> str:
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += [text[at : span.start], span.new]
        at = span.end
    return "".join([*parts, text[at:]])


def _apply(change: _Change, workspace: Workspace) -> ToolResult:
    shown = workspace.shown(change.path)
    try:
        if change.path.read_bytes() != change.before:
            return ToolResult(f"[error: {shown} changed meanwhile. Read it again]", failed=True)
        write(change.path, change.after)
    except OSError as error:
        return ToolResult(f"[error: {shown} was not written: {error.strerror}]", failed=True)
    workspace.note_read(change.path)
    where = (Location(str(change.path), change.line),)
    return ToolResult(change.reply, diffs=(change.diff,), locations=where)
