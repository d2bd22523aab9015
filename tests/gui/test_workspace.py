"""The window as a whole, over a core in memory: what the user sees and does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget

from sidekicks import events
from sidekicks.models import Command, PermissionOption, Problem, ToolPart, Usage
from sidekicks.ui.dialogs.channel import ChannelDialog, ChannelForm
from sidekicks.ui.dialogs.confirm import ConfirmDialog
from tests.gui.conftest import Drive, until
from tests.gui.desk import Desk
from tests.gui.stand_in import StandInCore

Use = Callable[..., None]


@pytest.fixture
def use(drive: Drive[Any], tmp_path: Path) -> Use:
    """Runs a scenario with a desk and closes it whatever happens."""

    def run(scenario: Callable[[Desk], Any], core: StandInCore | None = None) -> None:
        async def main() -> None:
            desk = Desk(core or StandInCore(), tmp_path)
            try:
                await scenario(desk)
            finally:
                await desk.close()

        drive(main())

    return run


def permission(channel: str, id_: str = "p") -> events.PermissionRequested:
    return events.PermissionRequested(
        id=id_,
        channel=channel,
        agent="codex",
        message_id="m",
        tool_call=ToolPart(id="t", title="edit src/parser.py"),
        options=(PermissionOption(option_id="yes", name="Allow", kind="allow_once"),),
    )


def test_the_first_start_opens_the_first_agents_direct_conversation(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        assert desk.view.conversation is not None
        assert desk.view.conversation.channel.direct == "mm"
        assert "SmolLM2 135M" in desk.window.empty.words()
        assert desk.window.focusWidget() is desk.window.composer.text
        assert desk.window.windowTitle() == "Mini Me — Sidekicks"
        desk.window.empty.button("Connect a bigger model…").click()
        await until(lambda: desk.window.findChildren(QWidget, "") and _dialogs(desk))
        assert _dialogs(desk)[0].windowTitle() == "Connect a bigger model"

    use(scenario)


def test_what_is_typed_before_the_conversation_is_there_is_kept_for_it(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        assert desk.view.shown == ""
        typist = desk.window.focusWidget()
        assert typist is not None
        QTest.keyClicks(typist, "Say hello")
        QTest.keyClick(typist, Qt.Key.Key_Return)
        await until(lambda: desk.view.shown)
        assert desk.window.composer.text.toPlainText() == "Say hello"
        assert desk.window.sidebar.conversations()
        QTest.keyClick(desk.window.composer.text, Qt.Key.Key_Return)
        await until(lambda: desk.view.applied)

    use(scenario)


def _dialogs(desk: Desk) -> list[Any]:
    return [child for child in desk.window.children() if getattr(child, "isModal", lambda: False)()]


def test_what_is_written_is_sent_and_shown(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        desk.write("hello")
        await until(lambda: desk.view.applied)
        (event,) = desk.view.applied
        assert isinstance(event, events.MessageUpdated)
        assert event.message.role == "user"
        assert desk.window.shows_messages

    use(scenario)


def test_a_refused_message_comes_back_and_the_reason_stands_above_it(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        desk.core.channels.refuse = "This channel is gone."
        desk.write("hello")
        await until(desk.window.failure.text)
        assert desk.window.failure.text() == "This channel is gone."
        assert desk.window.composer.text.toPlainText() == "hello"
        desk.core.channels.refuse = ""
        desk.write("again")
        await until(lambda: desk.view.applied)
        assert desk.window.failure.text() == ""

    use(scenario)


def test_an_unexpected_failure_is_said_too_and_logged(use: Use, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        desk.workspace.open_channel("no such channel")
        await until(desk.window.failure.text)
        assert "KeyError" in desk.window.failure.text()

    use(scenario)
    assert "task open conversation failed" in caplog.text


def test_what_was_unread_when_the_window_closed_is_unread_when_it_opens(use: Use) -> None:
    core = StandInCore()
    first = core.channels.put(name="first", members=("mm",))
    other = core.channels.put(name="other", members=("codex",))
    core.channels.counts = {other.id: 3}

    async def scenario(desk: Desk) -> None:
        await desk.open(first.id)
        assert desk.workspace.overview.activity(other.id).unread == 3
        await desk.open(other.id)
        await until(lambda: core.channels.counts[other.id] == 0)
        core.channels.say(other.id, "read as it comes")
        await until(lambda: core.channels.counts[other.id] == 0)

    use(scenario, core)


def test_an_agent_of_which_nothing_is_heard_is_named_above_the_composer(use: Use) -> None:
    core = StandInCore()
    shown = core.channels.put(name="shown", members=("codex",))

    async def scenario(desk: Desk) -> None:
        await desk.open(shown.id)
        turn = events.TurnChanged(channel=shown.id, busy=True, queued=0, answering="codex", silent=True)
        core.events.publish(turn)
        await until(lambda: "Nothing was heard of Codex" in desk.window.composer.status)
        core.events.publish(msgspec.structs.replace(turn, silent=False))
        await until(lambda: "Codex" not in desk.window.composer.status)

    use(scenario, core)


def test_events_of_the_shown_channel_reach_the_view_and_others_are_counted(use: Use) -> None:
    core = StandInCore()
    shown = core.channels.put(name="shown", members=("mm",))
    other = core.channels.put(name="other", members=("codex",))

    async def scenario(desk: Desk) -> None:
        await desk.open(shown.id)
        core.channels.say(other.id, "elsewhere")
        core.channels.say(shown.id, "here")
        await until(lambda: desk.view.applied)
        assert [event.channel for event in desk.view.applied] == [shown.id]
        assert desk.workspace.overview.activity(other.id).unread == 1
        await desk.open(other.id)
        assert desk.workspace.overview.activity(other.id).unread == 0

    use(scenario, core)


def test_what_waits_for_its_frame_is_not_shown_twice(use: Use) -> None:
    core = StandInCore()
    channel = core.channels.put(name="shown", members=("mm",))

    async def scenario(desk: Desk) -> None:
        core.channels.say(channel.id, "already in the conversation")
        await desk.open(channel.id)
        assert desk.view.conversation is not None
        assert len(desk.view.conversation.messages) == 1
        core.events.publish(events.TurnChanged(channel=channel.id, busy=True, queued=0, answering="mm"))
        await until(lambda: desk.view.applied)
        assert [type(event) for event in desk.view.applied] == [events.TurnChanged]

    use(scenario, core)


def test_of_two_conversations_asked_for_at_once_the_last_is_shown(use: Use) -> None:
    core = StandInCore()
    first = core.channels.put(name="first", members=("mm",))
    last = core.channels.put(name="last", members=("mm",))

    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        core.channels.held[first.id] = asyncio.Event()
        desk.workspace.open_channel(first.id)
        await desk.open(last.id)
        core.channels.held[first.id].set()
        await until(lambda: len(asyncio.all_tasks()) <= 2)
        assert desk.view.shown == last.id

    use(scenario, core)


def test_a_permission_elsewhere_is_named_counted_and_led_to(use: Use) -> None:
    core = StandInCore()
    shown = core.channels.put(name="shown", members=("mm",))
    other = core.channels.put(name="other", members=("codex",))

    core.channels.say(other.id, "I want to edit a file", agent="codex")

    async def scenario(desk: Desk) -> None:
        await desk.open(shown.id)
        core.channels.rooms[other.id].permissions.append(
            msgspec.convert(permission(other.id), type=_PLAIN, from_attributes=True)
        )
        core.events.publish(permission(other.id))
        await until(lambda: desk.window.windowTitle().startswith("(1) "))
        notice = desk.window.notices.permission
        await until(notice.text)
        assert notice.text() == "Codex asks for permission in #other: edit src/parser.py"
        notice.pressed.emit()
        await until(lambda: desk.view.shown == other.id)
        await until(lambda: not notice.text())
        assert desk.window.windowTitle() == "(1) #other — Sidekicks"
        core.events.publish(events.PermissionResolved(id="p", channel=other.id))
        await until(lambda: desk.window.windowTitle() == "#other — Sidekicks")

    use(scenario, core)


def test_a_permission_of_the_shown_conversation_is_named_while_it_is_out_of_view(use: Use) -> None:
    core = StandInCore()
    channel = core.channels.put(name="shown", members=("codex",))
    core.channels.say(channel.id, "a long answer")

    async def scenario(desk: Desk) -> None:
        await desk.open(channel.id)
        core.events.publish(permission(channel.id))
        notice = desk.window.notices.permission
        await until(notice.text)
        notice.pressed.emit()
        assert notice.text() == ""
        desk.view.visible = frozenset()
        desk.view.visible_permissions_changed.emit()
        assert notice.text() == "Codex asks for permission in #shown: edit src/parser.py"

    use(scenario, core)


_PLAIN = events.PermissionRequested.__base__


def test_stop_cancels_the_shown_conversation(use: Use) -> None:
    core = StandInCore()
    channel = core.channels.put(name="shown", members=("mm",))

    async def scenario(desk: Desk) -> None:
        await desk.open(channel.id)
        core.events.publish(events.TurnChanged(channel=channel.id, busy=True, queued=1, answering="mm"))
        await until(desk.window.composer.stop_button.isVisible)
        assert desk.window.composer.status == "1 message queued"
        QTest.keyClick(desk.window.composer.text, Qt.Key.Key_Escape)
        await until(lambda: core.channels.cancelled == [channel.id])
        await until(lambda: not desk.window.composer.stop_button.isVisible())

    use(scenario, core)


def test_the_header_says_who_is_there_and_how_full_their_context_is(use: Use) -> None:
    core = StandInCore()
    channel = core.channels.put(name="parser", members=("mm", "codex"))
    core.channels.rooms[channel.id].usage = {"mm": Usage(used=3100, size=10_000)}

    async def scenario(desk: Desk) -> None:
        await desk.open(channel.id)
        title, members = desk.window.header.titles()
        assert title == "# parser"
        assert members == [
            "Mini Me: ready, context 31 % full (3,100 of 10,000 tokens)",
            "Codex: stopped",
        ]

    use(scenario, core)


def test_a_channel_is_made_with_its_members(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        QTest.keyClick(desk.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
        dialog = desk.window.findChild(ChannelDialog)
        dialog.submitted.emit(ChannelForm("release", "Ship it", "/tmp", ("codex", "mm")))
        await until(lambda: desk.window.windowTitle() == "#release — Sidekicks")
        (room,) = [room for room in desk.core.channels.rooms.values() if room.channel.name]
        assert room.channel.members == ("codex", "mm")
        assert (room.channel.description, room.channel.cwd) == ("Ship it", "/tmp")

    use(scenario)


def test_a_name_that_is_taken_is_said_in_the_dialog(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        desk.window.sidebar.new_channel_requested.emit()
        dialog = desk.window.findChild(ChannelDialog)
        desk.core.channels.refuse = "There is a channel of this name."
        dialog.submitted.emit(ChannelForm("release", "", "", ()))
        await until(lambda: dialog.error)
        assert dialog.error == "There is a channel of this name."
        dialog.reject()

    use(scenario)


def test_deleting_asks_first_and_then_another_conversation_is_shown(use: Use) -> None:
    core = StandInCore()
    channel = core.channels.put(name="old", members=("mm",))

    async def scenario(desk: Desk) -> None:
        await desk.open(channel.id)
        desk.window.header.delete_requested.emit()
        dialog = desk.window.findChild(ConfirmDialog)
        assert channel.id in core.channels.rooms
        dialog.agree.click()
        await until(lambda: desk.view.shown and desk.view.shown != channel.id)
        assert channel.id not in core.channels.rooms

    use(scenario, core)


def test_buttons_of_the_agents_panel_reach_the_core(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        desk.window.sidebar.agents.start_requested.emit("codex")
        await until(lambda: "ready" in desk.window.sidebar.agents.row("codex").accessibleName())

    use(scenario)


def test_an_agent_that_does_not_run_says_why_and_what_to_do(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        desk.core.agents.become("mm", "error", "command not found: mm\nstderr")
        await until(lambda: "does not run" in desk.window.empty.words())
        assert "command not found: mm" in desk.window.empty.words()
        desk.window.empty.button("Try again").click()
        await until(lambda: "SmolLM2" in desk.window.empty.words())

    use(scenario)


def test_without_agents_the_window_says_what_to_do(use: Use) -> None:
    core = StandInCore()
    core.agents.agents.clear()

    async def scenario(desk: Desk) -> None:
        assert "No agent is configured" in desk.window.empty.words()
        assert isinstance(desk.window.empty.button("Open settings"), QPushButton)
        assert not desk.window.composer.isEnabled()

    use(scenario, core)


def test_problems_of_the_configuration_are_said_with_their_line(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        config = desk.core.config
        config.valid = False
        config.problems = (Problem(line=12, column=3, message="unknown key `limitz`"),)
        config.history_problem = "The history is in use."
        desk.core.events.publish(events.ConfigChanged(path="", valid=False, problems=config.problems))
        await until(desk.window.notices.config.text)
        assert desk.window.notices.config.text() == (
            "The configuration has problems (line 12: unknown key `limitz`). "
            "The last valid one stays in force."
        )
        assert desk.window.notices.history.text() == "The history is in use."
        config.valid, config.problems = True, ()
        desk.core.events.publish(events.ConfigChanged(path="", valid=True, problems=()))
        await until(lambda: not desk.window.notices.config.text())

    use(scenario)


def test_a_file_that_is_broken_at_the_start_leaves_none_in_force(use: Use) -> None:
    core = StandInCore()
    core.agents.agents.clear()
    core.config.valid = False
    core.config.problems = (Problem(line=2, column=1, message="unknown key `agent`"),)

    async def scenario(desk: Desk) -> None:
        await until(desk.window.notices.config.text)
        assert desk.window.notices.config.text() == (
            "The configuration has problems (line 2: unknown key `agent`)."
        )

    use(scenario, core)


def test_theme_and_language_follow_the_configuration_while_the_window_is_open(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        desk.core.config.theme, desk.core.config.language = "dark", "fr"
        desk.core.events.publish(events.ConfigChanged(path="", valid=True, problems=()))
        await until(lambda: desk.front.appearance.theme.dark)
        await until(lambda: "prêt" in desk.window.sidebar.agents.row("mm").accessibleName())
        assert "Écrire à Mini Me" in desk.window.composer.text.placeholderText()
        assert "pour essayer" in desk.window.empty.words()

    use(scenario)


def test_drafts_and_the_open_conversation_come_back(use: Use, tmp_path: Path) -> None:
    core = StandInCore()
    channel = core.channels.put(name="kept", members=("mm",))

    async def first(desk: Desk) -> None:
        await desk.open(channel.id)
        desk.window.composer.text.setPlainText("not sent yet")

    async def second(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        assert desk.view.shown == channel.id
        assert desk.window.composer.text.toPlainText() == "not sent yet"

    use(first, core)
    use(second, core)


def test_commands_are_loaded_when_a_slash_is_typed(use: Use) -> None:
    core = StandInCore()
    core.channels.announced["mm"] = (Command(name="compact", description="Shorten"),)

    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        desk.window.activateWindow()
        QTest.keyClicks(desk.window.composer.text, "/")
        await until(lambda: desk.window.composer.offered == ["/compact"])

    use(scenario, core)


def test_a_message_is_said_again_when_retry_is_asked_for(use: Use) -> None:
    core = StandInCore()
    channel = core.channels.put(name="c", members=("mm",))
    core.channels.say(channel.id, "question", "user")
    answer = core.channels.say(channel.id, "broken")
    core.channels.say(channel.id, "later", "user")

    async def scenario(desk: Desk) -> None:
        await desk.open(channel.id)
        desk.view.retry_requested.emit(answer.id, "mm")
        await until(lambda: desk.view.applied)
        assert desk.view.applied[0].message.parts[0].text == "question"

    use(scenario, core)


def test_retry_asks_only_the_agent_that_failed(use: Use) -> None:
    core = StandInCore()
    channel = core.channels.put(name="c", members=("mm", "codex"))
    core.channels.say(channel.id, "@mm look, @codex mend it", "user")
    answer = core.channels.say(channel.id, "broken")

    async def scenario(desk: Desk) -> None:
        await desk.open(channel.id)
        desk.view.retry_requested.emit(answer.id, "codex")
        await until(lambda: desk.view.applied)
        assert desk.view.applied[0].message.parts[0].text == "@codex mm look, codex mend it"

    use(scenario, core)


def test_what_is_quoted_stands_before_what_is_being_written(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        QTest.keyClicks(desk.window.composer.text, "my words")
        desk.view.quote_requested.emit("one\n\ntwo")
        assert desk.window.composer.text.toPlainText() == "> one\n>\n> two\n\nmy words"

    use(scenario)


def test_an_agent_that_starts_to_answer_is_said_to_start(use: Use) -> None:
    core = StandInCore()
    channel = core.channels.put(name="c", members=("mm",))

    async def scenario(desk: Desk) -> None:
        await desk.open(channel.id)
        core.agents.become("mm", "starting")
        turn = events.TurnChanged(channel=channel.id, busy=True, queued=0, answering="mm")
        core.events.publish(turn)
        await until(lambda: "Starting Mini Me…" in desk.window.composer.status)
        core.agents.become("mm", "busy")
        await until(lambda: "Starting" not in desk.window.composer.status)

    use(scenario, core)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "ssh://host", "relative"])
def test_only_web_and_mail_links_can_be_opened(use: Use, url: str) -> None:
    async def scenario(desk: Desk) -> None:
        desk.view.link_activated.emit(url)
        assert url in desk.window.failure.text()
        assert desk.window.findChild(ConfirmDialog) is None

    use(scenario)


def test_a_link_shows_where_it_leads_before_it_is_opened(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        desk.view.link_activated.emit("https://example.org/a?b=1")
        dialog = desk.window.findChild(ConfirmDialog)
        assert "https://example.org/a?b=1" in dialog.words()
        dialog.reject()

    use(scenario)


def test_letters_go_to_the_composer_wherever_the_focus_is(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        desk.window.sidebar.focus_search()
        desk.view.setFocus()
        QTest.keyClicks(desk.window, "hi")
        assert desk.window.composer.text.toPlainText() == "hi"

    use(scenario)


def test_f1_lists_the_keys(use: Use) -> None:
    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        QTest.keyClick(desk.window, Qt.Key.Key_F1)
        assert [dialog.windowTitle() for dialog in _dialogs(desk)] == ["Keyboard shortcuts"]

    use(scenario)


def test_ctrl_number_and_alt_down_go_to_conversations(use: Use) -> None:
    core = StandInCore()
    first = core.channels.put(name="first", members=("mm",))
    second = core.channels.put(name="second", members=("mm",))

    async def scenario(desk: Desk) -> None:
        await until(lambda: desk.view.shown)
        QTest.keyClick(desk.window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: desk.view.shown == first.id)
        core.channels.say(second.id, "news")
        await until(lambda: desk.workspace.overview.activity(second.id).unread)
        QTest.keyClick(desk.window, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        await until(lambda: desk.view.shown == second.id)

    use(scenario, core)
