"""Sidekicks' client and the official SDK: all that is sent parses there, and its agent is driven."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from acp import schema
from pydantic import TypeAdapter

from sidekicks.acp.errors import AgentFailureError
from sidekicks.channels.errors import ChannelError
from sidekicks.events import ElicitationRequested, PermissionRequested
from sidekicks.history.memory import MemoryHistory
from sidekicks.models import AgentDefinition, FilePart, ImagePart
from tests.sessions_parts import able
from tests.talk import Talk, text_of

SENT: dict[str, Any] = {
    "initialize": schema.InitializeRequest,
    "authenticate": schema.AuthenticateRequest,
    "logout": schema.LogoutRequest,
    "session/new": schema.NewSessionRequest,
    "session/load": schema.LoadSessionRequest,
    "session/resume": schema.ResumeSessionRequest,
    "session/list": schema.ListSessionsRequest,
    "session/close": schema.CloseSessionRequest,
    "session/delete": schema.DeleteSessionRequest,
    "session/prompt": schema.PromptRequest,
    "session/set_mode": schema.SetSessionModeRequest,
    "session/set_config_option": schema.SetSessionConfigOptionBooleanRequest
    | schema.SetSessionConfigOptionSelectRequest,
}
OPTIONS = [
    {"id": "web", "name": "Web", "type": "boolean", "currentValue": False},
    {
        "id": "effort",
        "name": "Effort",
        "type": "select",
        "currentValue": "low",
        "options": [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}],
    },
]


@pytest.fixture
async def talk() -> AsyncIterator[Talk]:
    found = Talk(MemoryHistory())
    await found.channels.load()
    yield found
    await found.close()


async def answer(talk: Talk, channel: str, directive: str, values: dict[str, object] | None = None) -> None:
    """Has the agent ask something, and accepts it."""
    since = len(talk.recorder.events)
    await talk.channels.send(channel, directive)
    asked = await talk.recorder.until(ElicitationRequested, since=since)
    await talk.channels.answer_elicitation(asked.id, "accept", values)
    await talk.free(channel, since)


async def say_everything(talk: Talk, folder: Path) -> None:
    """Makes the client send each kind of call that it knows."""
    (folder / "notes.md").write_text("# Notes")
    channel = await talk.channel("ada")
    await talk.channels.set_cwd(channel, str(folder))
    await talk.agents.login("ada", "main")
    await talk.channels.set_option(channel, "ada", "mode", "code")
    await talk.channels.set_option(channel, "ada", "web", True)
    await talk.channels.set_option(channel, "ada", "effort", "high")
    since = len(talk.recorder.events)
    image = ImagePart(mime_type="image/png", data=b"png")
    await talk.channels.send(channel, "see @notes.md", [image, FilePart(path=str(folder / "notes.md"))])
    await talk.free(channel, since)
    await answer(talk, channel, "!elicit(0)", {"name": "Ada", "tags": ["a"], "age": 3, "ok": True})
    await answer(talk, channel, "!elicit(1)")
    await talk.channels.stored_sessions("ada", str(folder))
    await talk.channels.take_up(channel, "ada", "loaded")
    await talk.channels.set_cwd(channel, str(folder))
    await talk.ask(channel, "hello")
    await talk.agents.stop("ada")
    await talk.ask(channel, "resumed")
    await talk.channels.delete(channel)
    await talk.agents.logout("ada")


async def test_all_that_is_sent_parses_with_the_sdk(talk: Talk, tmp_path: Path) -> None:
    record = tmp_path / "record"
    talk.configure(
        able(
            "ada",
            "modes",
            "logout",
            "past=[]",
            "login=agent",
            "login-file=" + str(tmp_path),  # there: so it is logged in when it starts again
            "can=list+close+delete+resume",
            "takes=image+embeddedContext",
            f"options={json.dumps(OPTIONS)}",
            f"record={record}",
        )
    )
    await say_everything(talk, tmp_path)
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    calls = [line for line in lines if "method" in line]
    assert {call["method"] for call in calls} == set(SENT)
    for call in calls:
        parsed = TypeAdapter(SENT[call["method"]]).validate_python(call["params"])
        back = parsed.model_dump(mode="json", by_alias=True, exclude_unset=True)
        if call["method"] != "initialize":  # which offers what is newer than the SDK
            assert back == call["params"], call["method"]
    answers = [line["result"] for line in lines if "method" not in line]
    assert len(answers) == 2
    for sent in answers:
        TypeAdapter(schema.CreateElicitationResponse).validate_python(sent)


async def test_the_agent_of_the_sdk_is_driven_through_a_channel(talk: Talk) -> None:
    program = str(Path(__file__).parent / "wire" / "sdk_agent.py")
    talk.configure(AgentDefinition(name="sdk", title="SDK", command=sys.executable, args=(program,)))
    channel = await talk.channel("sdk")
    await talk.channels.set_option(channel, "sdk", "model", "a")
    (model,) = talk.channels.options(channel)["sdk"]
    assert (model.category, model.value, [choice.name for choice in model.choices]) == ("model", "a", ["A"])
    with pytest.raises(ChannelError, match="sdk: Model can't be b"):
        await talk.channels.set_option(channel, "sdk", "model", "b")
    with pytest.raises(AgentFailureError, match="it can't list the sessions"):
        await talk.channels.stored_sessions("sdk")
    with pytest.raises(AgentFailureError, match="no way to log in"):
        await talk.agents.login("sdk", "main")
    await talk.channels.send(channel, "go on")
    asked = await talk.recorder.until(PermissionRequested)
    await talk.channels.answer_permission(asked.id, "yes")
    await talk.free(channel)
    said = text_of((await talk.messages(channel))[-1])
    assert said.startswith("allowed: yes")
    assert said.endswith("198199")
