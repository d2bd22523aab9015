"""Whose turn it is, in every edge; what each agent is told when much waits; taking back what waits."""

from __future__ import annotations

import asyncio
import json
import random
import re
from pathlib import Path

import pytest

from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity
from sidekicks.channels.attention import Attention
from sidekicks.channels.errors import ChannelError
from sidekicks.events import MessageUpdated, PermissionRequested, TurnChanged
from sidekicks.models import Channel
from tests.agents import scripted
from tests.events import Recorder
from tests.talk import Talk, text_of


class Line:
    """Channels that want one agent."""

    def __init__(self) -> None:
        self.bus = Bus()
        self.recorder = Recorder(self.bus)
        self.attention = Attention(self.bus)
        self.activities: dict[str, Activity] = {}
        self.order: list[str] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._done: dict[str, asyncio.Event] = {}

    async def want(self, name: str, *, aside: bool = False, channel: str = "") -> None:
        """Someone stands in the line, for an answer or aside."""
        activity = self.activities.setdefault(channel or name, Activity(Channel(id=channel or name)))
        self._done[name] = asyncio.Event()
        self._tasks[name] = asyncio.create_task(self._stand(name, activity, aside=aside))
        await self.settle()

    async def _stand(self, name: str, activity: Activity, *, aside: bool) -> None:
        stand = self.attention.aside if aside else self.attention.turn
        async with stand(activity, "ada"):
            self.order.append(name)
            await self._done[name].wait()

    async def finish(self, name: str) -> None:
        self._done[name].set()
        await self.settle()

    async def give_up(self, name: str) -> None:
        self._tasks[name].cancel()
        await self.settle()

    async def settle(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    def waits(self) -> dict[str, str]:
        """For whom each waits, as it is and as it was told last."""
        told = {event.channel: event.waiting_for for event in self.recorder.of(TurnChanged)}
        found = {name: activity.waiting_for for name, activity in self.activities.items()}
        assert {name: told.get(name, "") for name in found} == found
        return {name: other for name, other in found.items() if other}


async def test_they_get_it_in_the_order_in_which_they_came() -> None:
    line = Line()
    for name in "abcd":
        await line.want(name)
    assert line.waits() == {"b": "a", "c": "a", "d": "a"}
    await line.finish("a")
    assert line.waits() == {"c": "b", "d": "b"}
    await line.want("a")  # again, at the end
    await line.finish("b")
    assert line.waits() == {"d": "c", "a": "c"}
    for name in "cd":
        await line.finish(name)
    assert line.order == ["a", "b", "c", "d", "a"]
    assert line.waits() == {}
    await line.finish("a")
    assert not line.attention.is_taken("ada")


async def test_who_gives_up_leaves_the_order_as_it_is() -> None:
    line = Line()
    for name in "abcd":
        await line.want(name)
    await line.give_up("b")
    assert line.waits() == {"c": "a", "d": "a"}
    await line.give_up("a")  # who has it
    assert line.waits() == {"d": "c"}
    await line.finish("c")
    assert line.order == ["a", "c", "d"]
    assert line.waits() == {}


async def test_who_comes_and_gives_up_at_once_holds_nobody_up() -> None:
    """The place was given to it in the very moment in which it left."""
    line = Line()
    for name in "abc":
        await line.want(name)
    line._done["a"].set()
    line._tasks["b"].cancel()
    await line.settle()
    assert line.order[-1] == "c"
    assert line.waits() == {}


async def test_a_channel_does_not_wait_for_itself() -> None:
    """The agent still winds up a turn that was stopped there, or is opening its session."""
    line = Line()
    await line.want("first", channel="a")
    await line.want("second", channel="a")
    await line.want("b")
    assert line.waits() == {"b": "a"}
    await line.finish("first")
    assert line.waits() == {"b": "a"}


async def test_what_is_no_answer_has_no_name() -> None:
    line = Line()
    await line.want("prepare", aside=True, channel="a")
    await line.want("b")
    await line.want("c")
    assert line.waits() == {}
    await line.finish("prepare")
    assert line.waits() == {"c": "b"}


async def test_nobody_waits_for_a_deleted_channel() -> None:
    line = Line()
    await line.want("a")
    await line.want("b")
    line.attention.forget(line.activities["a"])
    assert line.waits() == {}
    await line.finish("a")
    assert line.order == ["a", "b"]


async def test_a_channel_that_is_deleted_while_it_waits_leaves_the_line(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    one, two, three = [await talk.channel("ada", name=name) for name in ("one", "two", "three")]
    await talk.begun(one, "!text(well) !silent")
    for channel in (two, three):
        await talk.channels.send(channel, "hello")
    await talk.recorder.until(TurnChanged, lambda event: event.channel == three and event.waiting_for == one)
    await talk.channels.delete(two)
    since = len(talk.recorder.events)
    await talk.channels.delete(one)
    await talk.free(three, since)
    assert text_of((await talk.messages(three))[-1]) == "echo: hello"
    named = {event.waiting_for for event in talk.recorder.of(TurnChanged) if event.channel == three}
    assert named == {"", one}


# -- what they are told when much waits ----------------------------------------------------------------

TOLD = re.compile(r'<message from="([^"]+)">\n(.*?)\n</message>', re.DOTALL)
NAMES = ["ada", "bob", "eve"]


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_waits_each_agent_is_told_everything_once(
    talk: Talk, tmp_path: Path, seed: int
) -> None:
    """Each message, and each answer of another, is told or asked once; none is its own."""
    chance = random.Random(seed)
    talk.configure(*(scripted(name, f"prompts={tmp_path / name}") for name in NAMES))
    channel = await talk.channel(*NAMES)
    await talk.channels.send(channel, "@ada @bob @eve !ask")
    for name in NAMES:
        request = await talk.recorder.until(PermissionRequested, lambda event, n=name: event.agent == n)
        for _ in range(chance.randrange(1, 3)):
            meant = chance.sample(NAMES, chance.randrange(1, 4))
            await talk.channels.send(channel, " ".join(f"@{each}" for each in meant))
        since = len(talk.recorder.events)
        await talk.channels.answer_permission(request.id, "yes")
    await talk.free(channel, since)
    await talk.ask(channel, "@ada @bob @eve last")
    messages = [message for message in await talk.messages(channel) if message.role != "system"]
    for name in NAMES:
        prompts = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        told = [said for prompt in prompts for said in TOLD.findall(prompt)]
        told += [("user", prompt.rpartition("</message>\n\n")[2] or prompt) for prompt in prompts]
        said = [(m.agent or "user", text_of(m)) for m in messages if m.agent != name and text_of(m)]
        if name != "eve":  # of the last message eve's answer came after theirs
            said.remove(("eve", "echo: @ada @bob @eve last"))
        if name == "ada":
            said.remove(("bob", "echo: @ada @bob @eve last"))
        assert sorted(told) == sorted(said)


async def test_who_is_invited_meanwhile_does_not_hide_the_answers_to_come(talk: Talk) -> None:
    """Its note comes before them, so that nobody who has seen it has seen them."""
    talk.configure(*(scripted(name) for name in (*NAMES, "zoe")))
    channel = await talk.channel(*NAMES)
    await talk.channels.send(channel, "@ada @bob @eve !ask !text(heard)")
    for name in NAMES:
        request = await talk.recorder.until(PermissionRequested, lambda event, n=name: event.agent == n)
        if name == "ada":
            await talk.channels.add_member(channel, "zoe")
        since = len(talk.recorder.events)
        await talk.channels.answer_permission(request.id, "yes")
    await talk.free(channel, since)
    order = [(m.code or m.role, m.agent) for m in await talk.messages(channel)][4:]
    assert order == [("agent", "ada"), ("agent-joined", "zoe"), ("agent", "bob"), ("agent", "eve")]
    await talk.ask(channel, "@eve the word is pear")
    told = text_of(await talk.ask(channel, "@bob !prompt"))
    assert [said for author, said in TOLD.findall(told) if author == "eve"] == [
        "heard",
        "echo: @eve the word is pear",
    ]


# -- taking back what waits ---------------------------------------------------------------------------


async def test_a_waiting_message_is_taken_back(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask")
    request = await talk.recorder.until(PermissionRequested)
    first, second = [await talk.channels.send(channel, text) for text in ("one", "two")]
    taken = await talk.channels.unqueue(channel, first)
    assert text_of(taken) == "one"
    assert talk.recorder.of(TurnChanged)[-1].queued == 1
    gone = talk.recorder.of(MessageUpdated)[-1].message
    assert (gone.id, gone.queued, gone.error) == (first, False, "cancelled")
    since = len(talk.recorder.events)
    await talk.channels.answer_permission(request.id, "yes")
    await talk.free(channel, since)
    assert [text_of(m) for m in await talk.messages(channel) if m.role == "user"] == ["!ask", "two"]
    for message in (first, second, "nothing"):
        with pytest.raises(ChannelError, match="does not wait"):
            await talk.channels.unqueue(channel, message)
