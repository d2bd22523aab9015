from __future__ import annotations

import sys
from pathlib import Path

import psutil

from tests.processes import is_running
from tests.recording_sink import RecordingSink
from tests.scripted_model import Call, Text
from tests.unit.minime_agent.engine.conftest import Talk

SCRIPTED = Path(__file__).parents[3] / "scripted_language_server.py"


async def test_a_language_server_ends_with_the_session(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("name = 1\n")
    question = Call("lsp", {"action": "hover", "path": "a.py", "symbol": "name"})
    command = [sys.executable, str(SCRIPTED), "asks"]
    _, session = await talk([[question], [Text("ok")]], lsp={"python": {"command": command}})
    await session.prompt("?", RecordingSink())
    assert "[[null, null], null, " in session.history[-2].content
    (server,) = [child for child in psutil.Process().children() if str(SCRIPTED) in child.cmdline()]
    await session.close()
    assert not is_running(server.pid)
