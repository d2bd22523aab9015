from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from minime_agent.config.check import ConfigError, convert
from minime_agent.config.settings import Sampling
from minime_agent.engine.errors import ModelError
from minime_agent.engine.profile import merged, profile_of
from minime_agent.ui.events import Notice
from tests.recording_sink import RecordingSink
from tests.scripted_model import ScriptedModel, Text
from tests.unit.minime_agent.engine.conftest import Talk

ROOT = Path(__file__).parents[4]


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
    assert merged(settings, profile_of("somebody's")) == Sampling(seed=4)


def test_a_default_that_the_person_wrote_down_comes_before_the_profile() -> None:
    settings = convert({"sampling": {"temperature": 0.0}})
    assert merged(settings, profile_of("smollm2-135m")).temperature == 0.0


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("unsloth/Qwen3-4B-GGUF:Q4_K_M", "qwen-reasoning"),
        ("Qwen3-4B-Instruct-2507", "qwen3-instruct"),
        ("Qwen3-Coder-30B-A3B-Instruct", "qwen3-coder"),
        ("ai/qwen2.5-coder", "qwen2.5"),
        ("google_gemma-3-4b-it-Q4_0", "gemma"),
        ("gemma-2-2b-it", "gemma-2"),
        ("DeepSeek-R1-Distill-Qwen-7B", "deepseek-r1"),
        ("mistralai/Devstral-Small-2507", "mistral"),
        ("Magistral-Small-2509", "magistral"),
        ("gpt-oss:20b", "gpt-oss"),
        ("SmolLM3-3B", "smollm3"),
        ("mellum-12b", "mellum"),
        ("gpt-5", ""),
    ],
)
def test_a_family_is_known_by_a_model_s_name(model: str, name: str) -> None:
    assert profile_of(model).name == name


def test_the_packaged_file_is_what_people_edit() -> None:
    script = ROOT / "packaging" / "profiles.py"
    ran = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_one_is_chosen_by_name_or_none(tmp_path: Path) -> None:
    assert profile_of("qwen3", "llama").name == "llama"
    assert profile_of("qwen3", "none").name == ""
    with pytest.raises(ConfigError, match=r"no profile 'lama' \(did you mean llama\?\)"):
        profile_of("qwen3", "lama")


def test_the_user_s_own_come_first(tmp_path: Path) -> None:
    own = tmp_path / "profiles.yaml"
    own.write_text("- {name: mine, models: [qwen3], sampling: {top_k: 7}}\n")
    assert profile_of("Qwen3-8B", own=own).sampling == {"top_k": 7}
    assert profile_of("gemma-3", own=own).name == "gemma"


@pytest.mark.parametrize("text", ["- {nam: x}", "{", "- {name: x, sampling: {heat: 1}}", "- 3"])
def test_a_wrong_file_of_the_user_is_said_with_its_name(tmp_path: Path, text: str) -> None:
    own = tmp_path / "profiles.yaml"
    own.write_text(text)
    with pytest.raises(ConfigError, match=r"profiles\.yaml"):
        profile_of("qwen3", own=own)


async def test_a_wrong_name_is_said_before_anything_is_sent(talk: Talk) -> None:
    server, session = await talk([[Text("x")]], profile="lama")
    with pytest.raises(ModelError, match="did you mean llama"):
        await session.prompt("hi", RecordingSink())
    assert not server.chats


async def test_instructions_stand_in_the_question_where_the_template_has_no_system_role(talk: Talk) -> None:
    server, session = await talk([], ScriptedModel([[Text("x")], [Text("y")]], models=("gemma-2-9b",)))
    await session.prompt("hi", RecordingSink())
    await session.prompt("and?", RecordingSink())
    first, _, second = server.chats[1]["messages"]
    assert (first["role"], second["content"]) == ("user", "and?")
    assert first["content"].startswith("You are mm")
    assert first["content"].endswith("\n\nhi")
    assert session.history[0].content == "hi"


async def test_a_reasoning_model_with_little_room_is_warned_of_once(talk: Talk) -> None:
    server = ScriptedModel([[Text("x")], [Text("y")]], models=("qwen3-4b",))
    _, session = await talk([], server, sampling={"max_tokens": 2000})
    sink = RecordingSink()
    await session.prompt("hi", sink)
    await session.prompt("hi", sink)
    assert [notice.text[:18] for notice in sink.of(Notice)] == ["max_tokens is 2000"]


async def test_a_reasoning_model_has_room_by_itself(talk: Talk) -> None:
    server = ScriptedModel([[Text("x")]], models=("qwen3-4b",))
    _, session = await talk([], server)
    sink = RecordingSink()
    await session.prompt("hi", sink)
    assert server.chats[0]["max_tokens"] == 16384
    assert not sink.of(Notice)
