"""The wire is a leaf, and cheap to import: asyncio and msgspec, nothing else."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import minime_agent.acp.wire.agent_side, minime_agent.acp.wire.client_side, minime_agent.acp.wire.stdio
ours = {n for n in sys.modules if n.split(".")[0] in ("minime_agent", "sidekicks")}
ours = {n for n in ours if not n.startswith("minime_agent.acp.wire")} - {"minime_agent", "minime_agent.acp"}
print(sorted(ours | ({"pydantic", "httpx", "acp", "yaml", "json"} & set(sys.modules))))
"""


def test_nothing_else_is_imported() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
