from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from minime_agent.tools.arguments import coerce
from minime_agent.tools.tool import Lasting, Tool, ToolFailure, ToolResult
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
async def use(workspace: Workspace, sink: RecordingSink) -> AsyncIterator[Use]:
    """Prepares and runs one call; a refusal comes back as a failed result, as in the loop."""
    lasting: list[Lasting] = []

    async def run(tool: Tool, **arguments: Any) -> ToolResult:
        try:
            call = await tool.prepare(coerce(arguments, tool.schema), workspace)
        except (ToolFailure, UnusablePathError) as failure:
            return ToolResult(str(failure), failed=True)
        if isinstance(tool, Lasting):
            lasting.append(tool)
        return await call.run(sink, "1")

    yield run
    for tool in lasting:
        await tool.close()
