"""`ls`: what a folder holds, one level of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from minime_agent.tools.arguments import parse
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.walk import Listing, list_files, place
from minime_agent.tools.workspace import Workspace, fitting
from minime_agent.ui.events import Location, Sink

_MOST = 300


class _Arguments(msgspec.Struct):
    path: str = ""


class Ls:
    """Lists folders with how many files they hold, then files with their sizes."""

    name = "ls"
    description = "List a folder: folders with their number of files, files with their size in bytes."
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": [],
    }

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Refuses a folder that is not there."""
        root = place(parse(_Arguments, arguments, self.name, self.schema).path, workspace)
        shown = workspace.shown(root)
        if not root.is_dir():
            size = root.stat().st_size
            raise ToolFailure(f"[error: {shown} is a file of {size} bytes. Read it with read_file]")

        async def run(_sink: Sink, _call_id: str) -> ToolResult:
            try:
                return ToolResult(_rows(await list_files(root), shown, workspace.max_output))
            except ToolFailure as failure:
                return ToolResult(str(failure), failed=True)
            except OSError as error:
                return ToolResult(f"[error: {shown} cannot be listed: {error.strerror}]", failed=True)

        return PreparedCall(f"List {shown}", "read", run, (Location(str(root)),))


def _rows(listing: Listing, shown: str, limit: int) -> str:
    counts = Counter(path.split("/", 1)[0] for path in listing.paths)
    entries = sorted(listing.root.iterdir(), key=lambda entry: (not entry.is_dir(), entry.name))
    left_out = [entry.name for entry in entries if entry.name not in counts and entry.name != ".git"]
    held = [entry for entry in entries if entry.name in counts]
    shown_rows = (
        f"{entry.name}/  {counts[entry.name]} files" if entry.is_dir() else _file(entry)
        for entry in held[:_MOST]
    )
    rows = fitting(shown_rows, limit)
    if len(rows) < len(held):
        rows.append(f"[{len(rows)} of {len(held)} entries shown; use find with a pattern]")
    if left_out:
        names = ", ".join(left_out[:10]) + (", …" if len(left_out) > 10 else "")
        rows.append(f"[left out, ignored by git or empty: {names}]")
    return "\n".join(rows) or f"[{shown} is empty]"


def _file(entry: Path) -> str:
    # A link may lead nowhere.
    return f"{entry.name}  {entry.stat().st_size}" if entry.exists() else f"{entry.name}  (a broken link)"
