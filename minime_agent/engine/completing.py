"""What a façade offers while a person types: the files that `@` may mean."""

from __future__ import annotations

from pathlib import Path

from minime_agent.mention.complete import matching
from minime_agent.mention.mentions import written
from minime_agent.tools.tool import ToolFailure
from minime_agent.tools.walk import list_files


async def mentioned_files(typed: str, cwd: Path, limit: int = 20) -> list[str]:
    """Mentions of the folder's files that fit what stands after `@`, best first, as they are to be written.

    What git ignores is left out. Nothing where the folder can't be listed in reasonable time.
    """
    try:
        listing = await list_files(cwd)
    except ToolFailure:
        return []
    return [written(path) for path in matching(typed.lstrip('"'), listing.paths, limit)]
