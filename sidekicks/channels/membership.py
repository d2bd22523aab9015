"""Which channels there are, what they are called, and who is in them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.keeping import Keeping
from sidekicks.events import ChannelsChanged
from sidekicks.history.port import History, HistoryError
from sidekicks.ids import Ids
from sidekicks.models import Channel

NAME_LIMIT = 64
"""Characters of a channel's name."""


class Membership:
    """All channels by id, each with what is going on in it."""

    def __init__(self, bus: Bus, agents: AgentService, history: History, keeping: Keeping, ids: Ids) -> None:
        self._bus = bus
        self._agents = agents
        self._history = history
        self._keeping = keeping
        self._ids = ids
        self._channels: dict[str, Activity] = {}

    async def load(self) -> None:
        """Reads the channels that the history has."""
        self._channels = {channel.id: Activity(channel) for channel in await self._history.channels()}

    def list(self) -> tuple[Channel, ...]:
        """All channels and direct conversations, oldest first."""
        return tuple(self._channels[channel].channel for channel in sorted(self._channels))

    def get(self, channel_id: str) -> Activity:
        """What is going on in a channel.

        Raises:
            ChannelError: there is no such channel.
        """
        activity = self._channels.get(channel_id)
        if activity is None:
            raise ChannelError("this channel does not exist (any more)")
        return activity

    async def create(self, name: str, description: str, cwd: str) -> Channel:
        """A new channel."""
        channel = Channel(
            id=self._ids.new(), name=self._free_name(name), description=description.strip(), cwd=_folder(cwd)
        )
        return await self._add(channel)

    async def direct(self, agent: str) -> Channel:
        """The direct conversation with an agent, made the first time."""
        for channel in self.list():
            if channel.direct == agent:
                return channel
        self._check_agent(agent)
        return await self._add(Channel(id=self._ids.new(), direct=agent, members=(agent,)))

    async def rename(self, channel_id: str, name: str, description: str) -> None:
        """Renames a channel."""
        activity = self.get(channel_id)
        _check_named(activity, "renamed")
        await self._change(activity, name=self._free_name(name, activity), description=description.strip())

    async def set_cwd(self, channel_id: str, cwd: str) -> Activity:
        """Another working folder; its agents still have sessions elsewhere."""
        activity = self.get(channel_id)
        await self._change(activity, cwd=_folder(cwd))
        return activity

    def remove(self, channel_id: str) -> Activity:
        """Takes a channel out, so that nobody can send anything to it; it is still in the history."""
        activity = self.get(channel_id)
        del self._channels[channel_id]
        return activity

    async def delete(self, activity: Activity) -> None:
        """Deletes a channel that was taken out from the history; it is back when that fails."""
        channel = activity.channel.id
        self._keeping.forget(channel)  # before: what is put while it is deleted would outlive it
        try:
            await self._history.delete_channel(channel)
        except HistoryError as error:
            self._channels[channel] = activity
            self._keeping.take_back(channel)
            raise ChannelError(str(error)) from error

    async def invite(self, channel_id: str, agent: str) -> None:
        """Lets an agent join at the user's wish."""
        activity = self.get(channel_id)
        _check_named(activity, "joined by another agent")
        self._check_agent(agent)
        if agent in activity.channel.members:
            raise ChannelError(f"{agent} is in the channel already")
        await self.join(activity, agent, activity.note_id())

    async def join(self, activity: Activity, agent: str, id_: str = "") -> None:
        """Lets an agent join; `id_` says where that is noted, else it is the newest message."""
        await self._change(activity, members=(*activity.channel.members, agent))
        await self._keeping.note(activity.channel.id, "agent-joined", agent, id_=id_)

    def leaving(self, channel_id: str, agent: str) -> Activity:
        """The channel that a member may leave."""
        activity = self.get(channel_id)
        _check_named(activity, "left by its agent")
        if agent not in activity.channel.members:
            raise ChannelError(f"{agent} is not in the channel")
        return activity

    async def leave(self, activity: Activity, agent: str) -> None:
        """Takes a member out, with what is known of it here."""
        channel = activity.channel
        await self._history.delete_member(channel.id, agent)
        await self._change(activity, members=tuple(name for name in channel.members if name != agent))
        await self._keeping.note(channel.id, "agent-left", agent, id_=activity.note_id())

    async def adopt(self, channel: Channel) -> Channel:
        """Adds a channel whose messages were put before; a name that is taken gets a number."""
        name = channel.name.strip()[:NAME_LIMIT] or "imported"
        taken = {activity.channel.name.casefold() for activity in self._channels.values()}
        number = 1
        while name.casefold() in taken:
            number += 1
            name = f"{channel.name.strip()[: NAME_LIMIT - 8]} ({number})"
        return await self._add(msgspec.structs.replace(channel, name=name))

    def tell(self) -> None:
        """Tells which channels there are."""
        self._bus.publish(ChannelsChanged(channels=self.list()))

    async def _add(self, channel: Channel) -> Channel:
        self._channels[channel.id] = Activity(channel)  # before anything is waited for: its name is taken
        try:
            await self._history.put_channel(channel)
        except HistoryError:
            del self._channels[channel.id]
            raise
        self.tell()
        return channel

    async def _change(self, activity: Activity, **fields: object) -> None:
        former = activity.channel
        activity.channel = msgspec.structs.replace(former, **fields)
        try:
            await self._history.put_channel(activity.channel)
        except HistoryError:
            activity.channel = former
            raise
        self.tell()

    def _free_name(self, name: str, own: Activity | None = None) -> str:
        name = name.strip()
        if not 1 <= len(name) <= NAME_LIMIT:
            raise ChannelError(f"a channel's name has 1 to {NAME_LIMIT} characters")
        for activity in self._channels.values():
            if activity is not own and activity.channel.name.casefold() == name.casefold():
                raise ChannelError(f"there is a channel named {activity.channel.name} already")
        return name

    def _check_agent(self, agent: str) -> None:
        if self._agents.definition(agent) is None:
            raise ChannelError(f"the configuration has no agent named {agent}")


def _check_named(activity: Activity, what: str) -> None:
    if activity.channel.direct:
        raise ChannelError(f"a direct conversation can't be {what}")


def _folder(cwd: str) -> str:
    """A working folder as an absolute path; empty for none."""
    if not cwd.strip():
        return ""
    folder = Path(cwd.strip()).expanduser()
    if not folder.is_absolute():
        raise ChannelError(f"{cwd} is not the absolute path of a folder")
    if not folder.is_dir():
        raise ChannelError(f"the folder {cwd} does not exist")
    return str(folder)
