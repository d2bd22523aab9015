"""Large lines and calls of an agent's own, as real agents send them."""

from __future__ import annotations

from sidekicks.events import CommandsChanged, PermissionRequested, PermissionResolved
from sidekicks.models import ToolPart
from tests.agents import scripted
from tests.sessions_parts import able
from tests.talk import Talk, text_of


async def test_quirk_4_a_line_of_563_kb_of_commands(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "!commands-of(600, 900)")
    (told,) = talk.recorder.of(CommandsChanged)
    assert len(told.commands) == 600
    assert {len(command.description) for command in told.commands} == {900}
    assert talk.channels.commands("ada") == told.commands


async def test_quirk_4_a_line_of_40_mb(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    answer = await talk.ask(channel, "!big(40000000) !text(done)")
    (tool,) = [part for part in answer.parts if isinstance(part, ToolPart)]
    assert tool.output.startswith("first ")
    assert tool.output.endswith(" last")
    assert len(tool.output) < 300_000
    assert text_of(answer) == "done"


async def test_quirk_5_what_nobody_listed_is_refused_or_ignored(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    answer = await talk.ask(channel, "!extensions !text( and on)")
    assert text_of(answer).startswith("refused: -32601")
    assert (answer.stop_reason, answer.error) == ("end_turn", "")
    assert talk.agents.list()[0].state == "ready"


async def test_quirk_5_a_pending_permission_is_withdrawn(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!withdraw")
    asked = await talk.recorder.until(PermissionRequested)
    resolved = await talk.recorder.until(PermissionResolved)
    assert resolved.id == asked.id
    await talk.free(channel)
    (tool,) = (await talk.messages(channel))[-1].parts
    assert isinstance(tool, ToolPart)
    assert tool.output == "withdrawn: -32800"
    assert (await talk.channels.conversation(channel)).permissions == ()
