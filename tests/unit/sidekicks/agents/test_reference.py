"""`AgentService` and the agents' events, each row of the reference's tables by its name."""

from __future__ import annotations

import json

import pytest

from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.stderr import CHARACTERS, LINES
from sidekicks.events import AgentLog, AgentStateChanged, to_json
from sidekicks.models import AgentStatus
from tests.agents import Setting, prompt, scripted


async def test_list_all_agents_with_their_fields_in_the_order_of_the_configuration(setting: Setting) -> None:
    setting.apply(scripted("zoe", icon="Z", description="the last one"), scripted("ada", "exit=3"))
    with pytest.raises(AgentUnavailableError):
        await setting.service.start("ada")
    zoe, ada = setting.service.list()
    assert zoe == AgentStatus(
        name="zoe",
        title="Zoe",
        icon="Z",
        description="the last one",
        state="stopped",
        error="",
        outdated=False,
    )
    assert (ada.name, ada.state) == ("ada", "error")
    assert ada.error == "it ended with exit code 3 before it answered"


async def test_start_as_in_the_transitions_an_error_comes_back(setting: Setting) -> None:
    setting.apply(scripted("ada"), scripted("bob", "exit=3"))
    await setting.service.start("ada")
    assert setting.status("ada").state == "ready"
    with pytest.raises(AgentUnavailableError, match="it ended with exit code 3 before it answered"):
        await setting.service.start("bob")
    with pytest.raises(AgentUnavailableError, match="the configuration has no agent named eve"):
        await setting.service.start("eve")


async def test_stop_as_in_the_transitions(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    await setting.service.start("ada")
    await setting.service.stop("ada")
    assert setting.status("ada").state == "stopped"


async def test_restart_as_in_the_transitions_an_error_comes_back(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    await setting.service.start("ada")
    setting.apply(scripted("ada", "exit=3"))
    assert setting.status("ada").outdated
    with pytest.raises(AgentUnavailableError, match="it ended with exit code 3 before it answered"):
        await setting.service.restart("ada")
    assert (setting.status("ada").state, setting.status("ada").outdated) == ("error", False)


async def test_logs_the_last_200_lines_of_stderr(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    async with setting.service.use("ada") as client:
        await prompt(client, " ".join(f"!stderr(line {number})" for number in range(250)))
        await prompt(client, f"!stderr({'x' * 5000})")
    await setting.service.stop("ada")
    lines = setting.service.logs("ada")
    assert len(lines) == LINES == 200
    assert lines[:2] == ("line 51", "line 52")
    assert lines[-1] == "x" * CHARACTERS
    assert CHARACTERS == 4_000


async def test_error_carries_the_reason_and_the_last_lines_of_stderr_when_a_start_failed(
    setting: Setting,
) -> None:
    setting.apply(scripted("ada", "stderr=the key is missing", "exit=2"))
    with pytest.raises(AgentUnavailableError):
        await setting.service.start("ada")
    reason, line = setting.status("ada").error.splitlines()
    assert reason == "it ended with exit code 2 before it answered"
    assert line == "the key is missing"


async def test_agent_state_is_sent_when_the_state_or_the_definition_changes(setting: Setting) -> None:
    setting.apply(scripted("ada", "exit=2"))
    with pytest.raises(AgentUnavailableError):
        await setting.service.start("ada")
    starting, error = setting.recorder.of(AgentStateChanged)
    assert json.loads(to_json(starting)) | {"logins": []} == {
        "event": "agent:state",
        "agent": "ada",
        "state": "starting",
        "error": "",
        "outdated": False,
        "logins": [],
    }
    assert error.error.startswith("it ended with exit code 2")
    setting.apply(scripted("ada", title="Countess"))
    assert len(setting.recorder.of(AgentStateChanged)) == 3
    setting.apply(scripted("ada", title="Countess"))
    assert len(setting.recorder.of(AgentStateChanged)) == 3


async def test_agent_log_is_sent_when_an_agent_writes_a_line_on_stderr(setting: Setting) -> None:
    setting.apply(scripted("ada", "stderr=hello"))
    await setting.service.start("ada")
    log = await setting.recorder.until(AgentLog)
    assert json.loads(to_json(log)) == {"event": "agent:log", "agent": "ada", "line": "hello"}
