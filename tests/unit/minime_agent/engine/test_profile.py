from __future__ import annotations

from minime_agent.config.check import convert
from minime_agent.config.settings import Sampling
from minime_agent.engine.profile import merged, profile_of
from tests.recording_sink import RecordingSink
from tests.scripted_model import ScriptedModel, Text
from tests.unit.minime_agent.engine.conftest import Talk


async def test_tiny_model_gets_no_tools_and_little_room(talk: Talk) -> None:
    server, session = await talk([], ScriptedModel([[Text("x")]], models=("SmolLM2-135M-Instruct.Q4_1",)))
    await session.prompt("hi", RecordingSink())
    assert "tools" not in server.chats[0]
    assert "parallel_tool_calls" not in server.chats[0]
    assert server.chats[0]["max_tokens"] == 512
    assert len(server.chats[0]["messages"][0]["content"]) < 100


async def test_settings_come_before_the_profile(talk: Talk) -> None:
    server = ScriptedModel([[Text("x")]], models=("SmolLM2-135M-Instruct.Q4_1",))
    _, session = await talk([], server, tools=["bash"], sampling={"max_tokens": 99})
    await session.prompt("hi", RecordingSink())
    assert [tool["function"]["name"] for tool in server.chats[0]["tools"]] == ["bash"]
    assert (server.chats[0]["max_tokens"], server.chats[0]["temperature"]) == (99, 0.2)


def test_unknown_model_has_the_settings_alone() -> None:
    settings = convert({"sampling": {"seed": 4}})
    assert merged(settings, profile_of("qwen")) == Sampling(seed=4)


def test_a_default_that_the_person_wrote_down_comes_before_the_profile() -> None:
    settings = convert({"sampling": {"temperature": 0.0}})
    assert merged(settings, profile_of("smollm2-135m")).temperature == 0.0
