"""Agents that need the user to log in: how that is told, done, called off and undone."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from sidekicks.acp.errors import AgentFailureError
from sidekicks.events import AgentLog, AgentStateChanged
from sidekicks.models import AgentStatus, LoginMethod
from tests.sessions_parts import able, told
from tests.talk import Talk, text_of


def status(talk: Talk) -> AgentStatus:
    return talk.agents.list()[0]


async def test_quirk_9_an_agent_that_needs_a_login_says_how_and_works_after_it(talk: Talk) -> None:
    talk.configure(able("ada", "login=agent", "can=resume"))
    channel = await talk.channel("ada")
    note = await talk.ask(channel, "hello")
    assert (note.code, note.agent) == ("agent-unavailable", "ada")
    assert "it needs you to log in first" in note.error
    assert status(talk).logins == (
        LoginMethod(id="other", name="Other", description="Some other way"),
        LoginMethod(id="main", name="Log in"),
    )
    assert status(talk).state == "ready"
    assert "log in first" in status(talk).error
    assert any(event.logins for event in talk.recorder.of(AgentStateChanged))
    await talk.agents.login("ada", "main")
    assert status(talk).logins == ()
    assert status(talk).error == ""
    assert talk.recorder.of(AgentStateChanged)[-1].logins == ()
    assert text_of(await talk.ask(channel, "hello again")) == "echo: hello again"


async def test_a_login_that_is_lost_between_two_prompts(talk: Talk) -> None:
    talk.configure(able("ada", "login=agent", "logout"))
    channel = await talk.channel("ada")
    await talk.agents.login("ada", "main")
    await talk.ask(channel, "hello")
    await talk.agents.logout("ada")
    message = await talk.ask(channel, "hello again")
    assert "it needs you to log in first" in message.error
    assert [method.id for method in status(talk).logins] == ["other", "main"]
    await talk.agents.login("ada", "main")
    assert text_of(await talk.ask(channel, "and now?")) == "echo: and now?"


async def test_quirk_9_a_login_in_a_terminal(talk: Talk, tmp_path: Path) -> None:
    record, token = tmp_path / "record", tmp_path / "token"
    talk.configure(
        able(
            "ada",
            "login=terminal",
            f"login-file={token}",
            f"record={record}",
            env={"A": "b"},
            cwd=str(tmp_path),
        )
    )
    channel = await talk.channel("ada")
    await talk.ask(channel, "hello")
    (initialize,) = told(record, "initialize")
    assert initialize["clientCapabilities"]["auth"] == {"terminal": True}
    assert [method.terminal for method in status(talk).logins] == [False, True]
    with pytest.raises(AgentFailureError, match="Log in talks with you in a terminal"):
        await talk.agents.login("ada", "main")
    with pytest.raises(AgentFailureError, match="Other needs no terminal"):
        await talk.agents.login_command("ada", "other")
    command = await talk.agents.login_command("ada", "main")
    assert command.argv[-1] == "--login"
    assert command.argv[:2] == (status_command(talk), command.argv[1])
    assert (command.env["LOGIN"], command.env["A"], command.env["PATH"]) == ("1", "b", os.environ["PATH"])
    assert command.cwd == str(tmp_path)
    token.write_text("")
    await talk.agents.logged_in("ada")
    assert status(talk).logins == ()
    assert text_of(await talk.ask(channel, "hello again")) == "echo: hello again"
    assert told(record, "authenticate") == []


def status_command(talk: Talk) -> str:
    definition = talk.agents.definition("ada")
    assert definition is not None
    return definition.command


async def test_a_login_with_a_program_that_the_agent_names(talk: Talk) -> None:
    talk.configure(able("ada", "login=named", env={"A": "b"}))
    command = await talk.agents.login_command("ada", "main")
    assert command.argv == (status_command(talk), "-c", "print('named')")
    assert (command.env["LOGIN"], command.env["A"]) == ("2", "b")


async def test_a_login_command_is_known_before_the_agent_has_run(talk: Talk) -> None:
    talk.configure(able("ada", "login=terminal"))
    assert (await talk.agents.login_command("ada", "main")).argv[-1] == "--login"
    await talk.agents.stop("ada")
    assert (await talk.agents.login_command("ada", "main")).argv[-1] == "--login"
    assert status(talk).state == "stopped"


async def test_a_login_is_called_off(talk: Talk) -> None:
    talk.configure(able("ada", "login=agent", "login-hangs"))
    login = asyncio.create_task(talk.agents.login("ada", "main"))
    await talk.recorder.until(AgentLog, lambda event: event.line == "the login has begun")
    assert status(talk).state == "busy"
    login.cancel()
    with pytest.raises(asyncio.CancelledError):
        await login
    await talk.recorder.until(AgentLog, lambda event: event.line == "the login was called off")
    assert status(talk).state == "ready"


async def test_an_agent_that_cannot_log_out(talk: Talk) -> None:
    talk.configure(able("ada", "login=agent"))
    with pytest.raises(AgentFailureError, match="it can't log out"):
        await talk.agents.logout("ada")


@pytest.mark.parametrize(
    ("method", "sentence"),
    [("nothing", r"no way to log in named nothing \(it has: other, main\)"), ("main", "main is not for you")],
)
async def test_a_login_that_fails_is_one_sentence(talk: Talk, method: str, sentence: str) -> None:
    talk.configure(able("ada", "login=agent", "refuses=main"))
    with pytest.raises(AgentFailureError, match=sentence):
        await talk.agents.login("ada", method)


async def test_an_agent_that_ends_while_one_logs_in(talk: Talk) -> None:
    talk.configure(able("ada", "login=agent", "login-hangs"))
    login = asyncio.create_task(talk.agents.login("ada", "main"))
    await talk.recorder.until(AgentLog, lambda event: event.line == "the login has begun")
    await talk.agents.stop("ada")
    with pytest.raises(AgentFailureError, match="it was stopped"):
        await login
