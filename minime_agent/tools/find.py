"""`find`: files by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from minime_agent.tools.arguments import parse
from minime_agent.tools.globs import matcher
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.walk import list_files, place
from minime_agent.tools.workspace import Workspace, fitting
from minime_agent.ui.events import Location, Sink

_MOST = 200


class _Arguments(msgspec.Struct):
    pattern: str
    path: str = ""


class Find:
    """Lists paths, those nearest to the top first."""

    name = "find"
    description = (
        "Find files by name: a pattern like *.py or src/**/test_*.py, or a part of the name. "
        "What git ignores is left out. To search inside files use grep."
    )
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"pattern": {"type": "string"}, "path": {"type": "string"}},
        "required": ["pattern"],
    }

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Refuses a folder that is not there."""
        wanted = parse(_Arguments, arguments, self.name, self.schema)
        root = place(wanted.path, workspace)
        if not root.is_dir():
            raise ToolFailure(f"[error: {workspace.shown(root)} is a file, not a folder]")

        async def run(_sink: Sink, _call_id: str) -> ToolResult:
            try:
                listing = await list_files(root)
            except ToolFailure as failure:
                return ToolResult(str(failure), failed=True)
            is_meant = matcher(wanted.pattern)
            found = [path for path in listing.paths if is_meant(path)]
            found.sort(key=lambda path: (path.count("/"), path))
            shown = [workspace.shown(root / path) for path in found]
            return ToolResult(_reply(shown, wanted.pattern, len(listing.paths), workspace.max_output))

        return PreparedCall(f"Find {wanted.pattern}", "search", run, (Location(str(root)),))


def _reply(found: list[str], pattern: str, looked_at: int, limit: int) -> str:
    if not found:
        return (
            f"[no file matches {pattern} among {looked_at} files; what git ignores is left out. "
            "Try a shorter part of the name, or grep for what is in it]"
        )
    rows = fitting(found[:_MOST], limit)
    if len(rows) < len(found):
        rows.append(f"[{len(rows)} of {len(found)} files shown; narrow it with a longer pattern or a path]")
    return "\n".join(rows)
