"""Modes, models and options: what can be chosen for an agent in a channel, and for how long it is chosen."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sidekicks.channels.errors import ChannelError
from sidekicks.events import AgentLog, OptionsChanged, TitleChanged, UsageChanged
from sidekicks.models import Cost, OptionChoice, SessionOption
from tests.sessions_parts import able, told
from tests.talk import Talk, text_of

NewTalk = Callable[[], Awaitable[Talk]]

CONFIG = [
    {
        "id": "model",
        "name": "Model",
        "category": "model",
        "type": "select",
        "currentValue": "a",
        "options": [
            {"group": "fast", "name": "Fast", "options": [{"value": "a", "name": "A"}]},
            {"group": "slow", "name": "Slow", "options": [{"value": "b", "name": "B", "description": "Big"}]},
        ],
    },
    {"id": "web", "name": "Web search", "type": "boolean", "currentValue": False},
]


def values(options: tuple[SessionOption, ...]) -> dict[str, str | bool]:
    return {option.id: option.value for option in options}


async def test_modes_and_models_of_former_agents_are_options_like_any(talk: Talk, tmp_path: Path) -> None:
    record = tmp_path / "record"
    talk.configure(able("ada", "modes", "models", f"record={record}"))
    channel = await talk.channel("ada")
    await talk.channels.set_option(channel, "ada", "mode", "code")  # starts it, without a prompt
    await talk.channels.set_option(channel, "ada", "model", "large")
    mode, model = talk.channels.options(channel)["ada"]
    assert (mode.id, mode.category, mode.value) == ("mode", "mode", "code")
    assert [choice.name for choice in mode.choices] == ["Ask", "Code", "Plan"]
    assert (model.category, model.value) == ("model", "large")
    assert (await talk.channels.conversation(channel)).options == {"ada": (mode, model)}
    assert told(record, "session/set_mode")[0]["modeId"] == "code"
    assert told(record, "session/set_model")[0]["modelId"] == "large"
    assert told(record, "session/prompt") == []
    assert talk.recorder.of(OptionsChanged)[-1].options == (mode, model)


async def test_config_options_take_the_place_of_what_they_replace(talk: Talk) -> None:
    talk.configure(able("ada", "modes", "models", f"options={json.dumps(CONFIG)}"))
    channel = await talk.channel("ada")
    await talk.channels.set_option(channel, "ada", "web", True)
    mode, model, web = talk.channels.options(channel)["ada"]
    assert mode.id == "mode"
    assert model.choices == (
        OptionChoice(value="a", name="A", group="Fast"),
        OptionChoice(value="b", name="B", description="Big", group="Slow"),
    )
    assert (web.value, web.choices) == (True, ())


async def test_the_agent_changes_its_mode_and_its_options_by_itself(talk: Talk) -> None:
    talk.configure(able("ada", "modes", f"options={json.dumps(CONFIG[1:])}"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "!mode(plan)")
    assert values(talk.channels.options(channel)["ada"]) == {"mode": "plan", "web": False}
    told_options = {"sessionUpdate": "config_option_update", "configOptions": CONFIG[:1]}
    await talk.ask(channel, f"!say {json.dumps(told_options)}")
    assert values(talk.channels.options(channel)["ada"]) == {"mode": "plan", "model": "a"}


async def test_what_was_chosen_holds_after_a_restart_of_everything(new_talk: NewTalk, tmp_path: Path) -> None:
    record = tmp_path / "record"
    agent = able("ada", "modes", f"options={json.dumps(CONFIG)}", "can=resume", f"record={record}")
    talk = await new_talk()
    talk.configure(agent)
    channel = await talk.channel("ada")
    await talk.channels.set_option(channel, "ada", "mode", "code")
    await talk.channels.set_option(channel, "ada", "model", "b")
    await talk.ask(channel, "hello")
    await talk.close()
    record.write_text("")
    talk = await new_talk()
    talk.configure(agent)
    assert text_of(await talk.ask(channel, "hello again")) == "echo: hello again"
    chosen = values(talk.channels.options(channel)["ada"])
    assert (chosen["mode"], chosen["model"]) == ("code", "b")
    assert len(told(record, "session/resume")) == 1
    assert told(record, "session/set_mode")[0]["modeId"] == "code"
    assert told(record, "session/set_config_option")[0]["value"] == "b"
    await talk.channels.set_cwd(channel, str(tmp_path))  # another session, the same choices
    await talk.ask(channel, "and here?")
    assert values(talk.channels.options(channel)["ada"])["mode"] == "code"


async def test_a_choice_that_is_refused_later_is_said_once_and_forgotten(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(able("ada", "modes"))
    channel = await talk.channel("ada")
    await talk.channels.set_option(channel, "ada", "mode", "code")
    await talk.close()
    talk = await new_talk()
    talk.configure(able("ada", "modes", "refuses=code"))
    await talk.ask(channel, "hello")
    lines = [event.line for event in talk.recorder.of(AgentLog) if "Mode" in event.line]
    assert lines == ["Mode can't be set to code as before: code is not for you"]
    assert (await talk.history.members(channel))["ada"].chosen == {}


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("colour", "red", "ada: it has no option colour"),
        ("mode", "fly", "ada: Mode can't be fly"),
        ("mode", "plan", "ada: plan is not for you"),
        ("web", "yes", "ada: Web search can only be on or off"),
    ],
)
async def test_what_cannot_be_chosen_is_one_sentence(
    talk: Talk, option: str, value: str, sentence: str
) -> None:
    talk.configure(able("ada", "modes", "refuses=plan", f"options={json.dumps(CONFIG)}"))
    channel = await talk.channel("ada")
    with pytest.raises(ChannelError) as raised:
        await talk.channels.set_option(channel, "ada", option, value)
    assert str(raised.value) == sentence
    assert values(talk.channels.options(channel)["ada"])["mode"] == "ask"


async def test_an_option_of_no_member_or_of_an_agent_that_cannot_start(talk: Talk) -> None:
    talk.configure(able("ada"), able("bob", command="missing"))
    channel = await talk.channel("bob")
    with pytest.raises(ChannelError, match="ada is not in the channel"):
        await talk.channels.set_option(channel, "ada", "mode", "x")
    with pytest.raises(ChannelError, match="bob: the program missing was not found"):
        await talk.channels.set_option(channel, "bob", "mode", "x")


async def test_titles_and_cost(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    await talk.ask(channel, '!say {"sessionUpdate":"session_info_update","title":" Fix\\n the  bug "}')
    usage = {
        "sessionUpdate": "usage_update",
        "used": 5,
        "size": 10,
        "cost": {"amount": 0.25, "currency": "USD"},
    }
    await talk.ask(channel, f"!say {json.dumps(usage)}")
    conversation = await talk.channels.conversation(channel)
    assert conversation.titles == {"ada": "Fix the bug"}
    assert conversation.usage["ada"].cost == Cost(amount=0.25, currency="USD")
    assert talk.recorder.of(TitleChanged)[0].title == "Fix the bug"
    assert talk.recorder.of(UsageChanged)[0].usage == conversation.usage["ada"]
