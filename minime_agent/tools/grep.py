"""`grep`: lines of files by a regular expression."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from minime_agent.tools import searching
from minime_agent.tools.arguments import parse
from minime_agent.tools.globs import matcher
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.walk import Listing, list_files, place
from minime_agent.tools.workspace import Workspace, fitting
from minime_agent.ui.events import Location, Sink

BUDGET = 20.0
_MOST = 200


class _Arguments(msgspec.Struct):
    pattern: str
    path: str = ""
    glob: str = ""
    ignore_case: bool = False


class _Found(msgspec.Struct):
    rows: list[tuple[str, int, str]]
    more: bool
    skipped: int
    plain: str


class Grep:
    """Searches files; `budget` is in seconds."""

    name = "grep"
    description = (
        "Search files for a regular expression (Python syntax); replies path:line: text. Narrow it with path "
        "(a folder or a file) and glob (*.py). What git ignores and binary files are left out."
    )
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "path": {"type": "string"},
            "glob": {"type": "string"},
            "ignore_case": {"type": "boolean"},
        },
        "required": ["pattern"],
    }

    def __init__(self, budget: float = BUDGET) -> None:
        self._budget = budget

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Refuses a place that is not there."""
        wanted = parse(_Arguments, arguments, self.name, self.schema)
        if not wanted.pattern:
            raise ToolFailure("[error: the pattern is empty; to list files use find]")
        root = place(wanted.path, workspace)
        is_folder = root.is_dir()

        async def run(_sink: Sink, _call_id: str) -> ToolResult:
            try:
                listing = await list_files(root) if is_folder else Listing(root.parent, [root.name])
                listing = _narrowed(listing, wanted.glob)
                found = await self._search(wanted, listing)
            except ToolFailure as failure:
                return ToolResult(str(failure), failed=True)
            return ToolResult(_reply(found, wanted, listing, workspace))

        return PreparedCall(f"Search {wanted.pattern}"[:200], "search", run, (Location(str(root)),))

    async def _search(self, wanted: _Arguments, listing: Listing) -> _Found:
        task = {
            "root": str(listing.root),
            "paths": listing.paths,
            "pattern": wanted.pattern,
            "ignore_case": wanted.ignore_case,
            "most": _MOST,
        }
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", searching.__file__, stdin=pipe, stdout=pipe, stderr=pipe
        )
        try:
            async with asyncio.timeout(self._budget):
                output, errors = await process.communicate(msgspec.json.encode(task))
        except TimeoutError:
            raise ToolFailure(
                f"[error: the search took longer than {self._budget:g}s. Use a simpler pattern, or fewer "
                "files (path, glob)]"
            ) from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            reason = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise ToolFailure(f"[error: the search failed: {reason}]")
        return msgspec.json.decode(output, type=_Found)


def _narrowed(listing: Listing, glob: str) -> Listing:
    if not glob:
        return listing
    is_meant = matcher(glob)
    return Listing(listing.root, [path for path in listing.paths if is_meant(path)], listing.more)


def _reply(found: _Found, wanted: _Arguments, listing: Listing, workspace: Workspace) -> str:
    notes: list[str] = []
    if found.plain:
        notes.append(f"[not a regular expression ({found.plain}): searched as plain text]")
    shown = (f"{workspace.shown(listing.root / path)}:{number}: {text}" for path, number, text in found.rows)
    rows = fitting(shown, workspace.max_output)
    if not rows:
        rows.append(
            f"[no match for {wanted.pattern} in {len(listing.paths)} files. Try a shorter pattern, "
            "ignore_case, or another path or glob]"
        )
    if found.more or len(rows) < len(found.rows):
        notes.append(f"[{len(rows)} matches shown, there are more; narrow it with path, glob or pattern]")
    if found.skipped:
        notes.append(f"[{found.skipped} files over 8 MiB were not searched]")
    if listing.more:
        notes.append(f"[only {len(listing.paths)} files were searched; name a folder (path)]")
    return "\n".join([*rows, *notes])
