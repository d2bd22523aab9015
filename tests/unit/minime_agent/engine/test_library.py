"""What people wrote down, as the server is sent it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from minime_agent.ui.events import Notice
from tests.recording_sink import RecordingSink
from tests.scripted_model import Call, ScriptedModel, Text
from tests.unit.minime_agent.engine.conftest import Talk


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def sent(server: ScriptedModel) -> tuple[str, str, dict[str, Any]]:
    """The system prompt and the newest message of the last request; its tools by name."""
    messages = server.chats[-1]["messages"]
    tools = {tool["function"]["name"]: tool["function"] for tool in server.chats[-1].get("tools", [])}
    return messages[0]["content"], messages[-1]["content"], tools


async def test_a_project_with_everything(talk: Talk, tmp_path: Path, nobodys_home: Path) -> None:
    write(tmp_path / "AGENTS.md", "Use tabs.")
    write(nobodys_home / ".config" / "mm" / "AGENTS.md", "Answer in French.")
    write(tmp_path / ".mm" / "prompts" / "look.md", "Look at @$1 with care.")
    write(tmp_path / ".agents" / "skills" / "deploy" / "SKILL.md", "---\ndescription: Deploys\n---\nPush it.")
    write(tmp_path / "a b.txt", "x")
    replies = [[Text("ok")], [Call("read_skill", {"name": "deploy"})], [Text("ok")]]
    server, session = await talk(replies)
    await session.prompt('/look "a b.txt"', RecordingSink())
    system, text, tools = sent(server)
    assert system.index("You are mm") < system.index("Answer in French.") < system.index("Use tabs.")
    assert text == "Look at @a b.txt with care."
    assert "- deploy: Deploys\n" in tools["read_skill"]["description"]
    assert "- greetings: Greet a person by name (hello" in tools["read_skill"]["description"]
    await session.prompt('$deploy @"a b.txt"', RecordingSink())
    assert server.chats[1]["messages"][-1]["content"] == (
        "[skill: deploy — load it with read_skill and carry out its steps now; "
        f"parameters: [attached file: {tmp_path / 'a b.txt'}]]"
    )
    assert sent(server)[1].endswith("\n\nPush it.")
    names = [command.name for command in session.library.commands()]
    assert names[0] == "look"
    assert "skill:deploy" in names


async def test_the_users_prompt_and_what_the_settings_say_of_it(
    talk: Talk, nobodys_home: Path, tmp_path: Path
) -> None:
    own = nobodys_home / ".config" / "mm"
    write(own / "SYSTEM.md", "You are a pirate.")
    write(own / "APPEND_SYSTEM.md", "Swear.")
    write(tmp_path / "CLAUDE.md", "Use tabs.")
    server, session = await talk([[Text("ok")]], systemPromptAppend="Softly.")
    await session.prompt("hi", RecordingSink())
    head, _, _ = sent(server)[0].partition("\n\nInstructions that people wrote")
    assert head == "You are a pirate.\n\nSwear.\n\nSoftly."


async def test_problems_are_said_once(talk: Talk, tmp_path: Path) -> None:
    write(tmp_path / ".mm" / "skills" / "Bad.md", "x")
    _, session = await talk([[Text("ok")], [Text("ok")]])
    sink = RecordingSink()
    await session.prompt("one", sink)
    await session.prompt("two", sink)
    warnings = [notice.text for notice in sink.of(Notice) if notice.severity == "warning"]
    assert len(warnings) == 1
    assert "Bad.md is left out: its name 'Bad'" in warnings[0]


async def test_without_read_skill_the_skill_goes_with_the_question(talk: Talk) -> None:
    server, session = await talk([[Text("ok")]], tools=["bash"])
    await session.prompt("$greetings Bob", RecordingSink())
    _, text, tools = sent(server)
    assert list(tools) == ["bash"]
    assert text.startswith("[skill: greetings — carry out these steps now; parameters: Bob]\n\n# Greet")


async def test_the_users_folder_of_skills(talk: Talk, nobodys_home: Path) -> None:
    write(nobodys_home / ".config" / "mm" / "mine" / "own.md", "# My own")
    server, session = await talk([[Text("ok")]], skillsDir="mine")
    await session.prompt("hi", RecordingSink())
    assert "- own: My own" in sent(server)[2]["read_skill"]["description"]
