from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from minime_agent.tools.arguments import coerce
from minime_agent.tools.tool import Tool, ToolFailure, ToolResult
from minime_agent.tools.workspace import UnusablePathError, Workspace
from tests.recording_sink import RecordingSink

Use = Callable[..., Awaitable[ToolResult]]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path.resolve())


@pytest.fixture
def sink() -> RecordingSink:
    return RecordingSink()


@pytest.fixture
def use(workspace: Workspace, sink: RecordingSink) -> Use:
    """Prepares and runs one call; a refusal comes back as a failed result, as in the loop."""

    async def run(tool: Tool, **arguments: Any) -> ToolResult:
        try:
            call = await tool.prepare(coerce(arguments, tool.schema), workspace)
        except (ToolFailure, UnusablePathError) as failure:
            return ToolResult(str(failure), failed=True)
        return await call.run(sink, "1")

    return run
