"""`mm --acp` with the real engine behind it, over the official SDK's client."""

from __future__ import annotations

import sys
from pathlib import Path

import acp
import pytest

from tests.acp.sdk_client import running
from tests.e2e.conftest import mm_environment
from tests.scripted_model import ScriptedModel

MM = (sys.executable, "-m", "minime_agent", "--acp")


async def test_turn_with_a_tool(tmp_path: Path) -> None:
    async with (
        ScriptedModel() as server,
        running(*MM, "--base-url", server.url, env=mm_environment(tmp_path)) as mm,
    ):
        session = await mm.new_session(str(tmp_path))
        mm.client.answers = ["allow_once", "reject_once"]
        assert await mm.prompt(session, "RUNTOOL=`pwd > where; cat where`") == "end_turn"
        assert mm.client.text(session).endswith(f"The tool said: {tmp_path}. Done.")
        assert await mm.prompt(session, "RUNTOOL=`touch no`") == "end_turn"
        assert not (tmp_path / "no").exists()
        assert await mm.end() == ""


async def test_model_that_is_down_is_an_error_with_the_sentence(tmp_path: Path) -> None:
    async with ScriptedModel() as server:
        url = server.url
    async with running(*MM, "--base-url", url, env=mm_environment(tmp_path)) as mm:
        session = await mm.new_session(str(tmp_path))
        with pytest.raises(acp.RequestError, match="no model server answers at"):
            await mm.prompt(session, "hello")


async def test_wrong_settings_are_said_to_the_client(tmp_path: Path) -> None:
    environment = mm_environment(tmp_path) | {"MM_PROVIDER": "olama"}
    async with running(*MM, env=environment) as mm:
        with pytest.raises(acp.RequestError, match="did you mean ollama"):
            await mm.new_session(str(tmp_path))
