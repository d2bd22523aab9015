"""What an agent says is bounded, however much that is, and what is usual still fits."""

from __future__ import annotations

import base64

from minime_agent.acp.wire import content, options, sessions, tools, updates
from minime_agent.acp.wire.handshake import AuthMethod
from sidekicks.acp import images, translate
from sidekicks.acp.changes import CommandsReplaced, TextAdded, Titled, ToolChanged
from sidekicks.acp.login import logins_of
from sidekicks.acp.options import MAX_CHOICES, MAX_OPTIONS, SessionOptions
from sidekicks.models import ImagePart, SessionOption

HUGE = "x" * 1_000_000


def shown(state: sessions.SessionState) -> tuple[SessionOption, ...]:
    kept = SessionOptions()
    kept.opened(state)
    return kept.shown()


def test_a_list_of_commands_as_qwen_has_it_is_whole() -> None:
    listed = tuple(updates.AvailableCommand(f"skill-{n}", "d" * 900) for n in range(600))  # 563 KB
    change = translate.translate(updates.AvailableCommandsUpdate(listed))
    assert isinstance(change, CommandsReplaced)
    assert [command.name for command in change.commands] == [command.name for command in listed]
    assert {command.description for command in change.commands} == {"d" * 900}


def test_a_lying_list_of_commands_is_cut() -> None:
    many = (updates.AvailableCommand("one", HUGE, updates.CommandInput(HUGE)),) * 20_000
    change = translate.translate(updates.AvailableCommandsUpdate((updates.AvailableCommand(HUGE, ""), *many)))
    assert isinstance(change, CommandsReplaced)
    assert len(change.commands) < 5_001
    assert len(change.commands[0].description) == len(change.commands[0].hint) == 1_000


def test_options_and_choices_are_cut_and_what_is_chosen_is_kept() -> None:
    choices = tuple(options.ConfigChoice(HUGE, str(n), HUGE) for n in range(10_000))
    long_id = options.ConfigChoice("no", HUGE)
    model = options.ConfigSelect(id="m", name=HUGE, current_value="9999", options=(long_id, *choices))
    found = shown(sessions.SessionState(config_options=(model,) * 1_000))
    assert len(found) == MAX_OPTIONS
    assert len(found[0].choices) == MAX_CHOICES + 1
    assert found[0].choices[-1].value == "9999"
    assert len(found[0].name) == len(found[0].choices[0].name) == 200
    assert len(found[0].choices[0].description) == 1_000


def test_what_is_of_an_unknown_kind_is_left_out() -> None:
    unknown = options.UnknownConfigOption(kind="slider", raw={"id": "s"})
    switch = options.ConfigBoolean(id="mode", name="Careful", current_value=True)
    modes = options.SessionModeState("a", (options.SessionMode("a", "A"),))
    found = shown(sessions.SessionState(modes=modes, config_options=(unknown, switch)))
    assert [(option.id, option.value) for option in found] == [("session-mode", "a"), ("mode", True)]


def test_logins_answers_and_titles_are_cut() -> None:
    methods = [AuthMethod(HUGE, ""), *(AuthMethod(str(n), HUGE, HUGE) for n in range(1_000))]
    ways = logins_of(methods, logout=False).shown()
    assert len(ways) == 50
    assert (len(ways[0].name), len(ways[0].description)) == (200, 1_000)
    answers = (tools.PermissionOption("1", HUGE, "allow_once"),) * 1_000
    request = tools.RequestPermissionRequest("s", tools.ToolCallFields("t"), answers)
    asked = translate.permission(request)
    assert (len(asked.options), len(asked.options[0].name)) == (50, 200)
    title = translate.translate(updates.SessionInfoUpdate(title=HUGE))
    assert isinstance(title, Titled)
    assert len(title.title) == 200


def test_an_image_that_is_too_large_is_named() -> None:
    data = "A" * (images.MAX_IMAGE * 2)
    chunk = updates.AgentMessageChunk(content.ImageContent(data, "image/png"))
    assert translate.translate(chunk) == TextAdded(text="*(image/png, 15.7 MB: too large to be shown)*")


def test_a_tool_call_with_a_thousand_images_keeps_the_first() -> None:
    data = base64.b64encode(b"png").decode()
    image = tools.Content(content.ImageContent(data, "image/png"))
    change = translate.translate(updates.ToolCall("1", "Shoot", content=(image,) * 1_000))
    assert isinstance(change, ToolChanged)
    assert change.images == (ImagePart(mime_type="image/png", data=b"png"),) * images.MAX_IMAGES
    assert "one of more than 20 images" in (change.output or "")
