"""What the window knows of all conversations and agents, kept up to date by the core's events. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from sidekicks.events import (
    AgentStateChanged,
    ChannelsChanged,
    Event,
    OptionsChanged,
    PermissionRequested,
    PermissionResolved,
    TitleChanged,
    TurnChanged,
    UnreadChanged,
    UsageChanged,
)
from sidekicks.models import (
    AgentStatus,
    Channel,
    Conversation,
    PermissionRequest,
    SessionOption,
    Usage,
)


@dataclass
class Activity:
    """What goes on in one channel. `silent`: nothing was heard for long of the agent that answers."""

    unread: int = 0
    busy: bool = False
    queued: int = 0
    answering: str = ""
    waiting_for: str = ""
    silent: bool = False
    permissions: dict[str, PermissionRequest] = field(default_factory=dict[str, PermissionRequest])
    usage: dict[str, Usage] = field(default_factory=dict[str, Usage])
    options: dict[str, tuple[SessionOption, ...]] = field(
        default_factory=dict[str, tuple[SessionOption, ...]]
    )
    titles: dict[str, str] = field(default_factory=dict[str, str])


class Overview:
    """The channels (oldest first), the agents (configuration order) and each channel's activity.

    `shown` is the channel that the user is looking at, or empty: nothing there counts as unread.
    """

    def __init__(self, agents: Iterable[AgentStatus] = (), channels: Iterable[Channel] = ()) -> None:
        self.agents: dict[str, AgentStatus] = {agent.name: agent for agent in agents}
        self.channels: dict[str, Channel] = {channel.id: channel for channel in channels}
        self.shown = ""
        self._activity: dict[str, Activity] = {}

    def activity(self, channel: str) -> Activity:
        """What goes on in `channel`; changes with the events."""
        return self._activity.setdefault(channel, Activity())

    def show(self, channel: str) -> None:
        """The user looks at `channel` now (or, empty, at none)."""
        self.shown = channel
        if channel:
            self.activity(channel).unread = 0

    def take_unread(self, counts: Mapping[str, int]) -> None:
        """Takes how many messages of each channel are unread; those that are not named have none."""
        for channel in self.channels:
            self.activity(channel).unread = counts.get(channel, 0)

    def direct_of(self, agent: str) -> Channel | None:
        """The direct conversation with `agent`, if there is one already."""
        return next((channel for channel in self.channels.values() if channel.direct == agent), None)

    def title(self, channel: Channel) -> str:
        """`#name`, or the title of a direct conversation's agent."""
        if not channel.direct:
            return f"#{channel.name}"
        agent = self.agents.get(channel.direct)
        return agent.title if agent else channel.direct

    def agent_title(self, name: str) -> str:
        """The agent's title, or its name when the configuration has it no more."""
        agent = self.agents.get(name)
        return agent.title if agent else name

    def pending(self) -> list[PermissionRequest]:
        """All permissions that wait for an answer, oldest first."""
        return [
            request
            for channel in self.channels
            if channel in self._activity
            for request in self._activity[channel].permissions.values()
        ]

    def set_agents(self, agents: Sequence[AgentStatus]) -> None:
        """Takes the agents anew, after the configuration changed."""
        self.agents = {agent.name: agent for agent in agents}

    def opened(self, conversation: Conversation) -> None:
        """Takes what a conversation says about itself when it is opened."""
        activity = self.activity(conversation.channel.id)
        activity.busy = conversation.busy
        activity.queued = conversation.queued
        activity.answering = conversation.answering
        activity.waiting_for = conversation.waiting_for
        activity.silent = conversation.silent
        activity.usage = dict(conversation.usage)
        activity.options = dict(conversation.options)
        activity.titles = dict(conversation.titles)
        activity.permissions = {request.id: request for request in conversation.permissions}
        self.channels[conversation.channel.id] = conversation.channel

    def apply(self, event: Event) -> bool:
        """Follows one event; says whether anything changed that this overview shows."""
        match event:
            case ChannelsChanged():
                self.channels = {channel.id: channel for channel in event.channels}
                self._activity = {id_: a for id_, a in self._activity.items() if id_ in self.channels}
            case AgentStateChanged():
                return self._agent_changed(event)
            case UnreadChanged():
                self.activity(event.channel).unread = 0 if event.channel == self.shown else event.unread
            case TurnChanged():
                activity = self.activity(event.channel)
                activity.busy, activity.queued = event.busy, event.queued
                activity.answering, activity.waiting_for = event.answering, event.waiting_for
                activity.silent = event.silent
            case PermissionRequested():
                self.activity(event.channel).permissions[event.id] = event
            case PermissionResolved():
                self.activity(event.channel).permissions.pop(event.id, None)
            case OptionsChanged():
                self.activity(event.channel).options[event.agent] = event.options
            case TitleChanged():
                self.activity(event.channel).titles[event.agent] = event.title
            case UsageChanged():
                self.activity(event.channel).usage[event.agent] = event.usage
            case _:
                return False
        return True

    def _agent_changed(self, event: AgentStateChanged) -> bool:
        if (agent := self.agents.get(event.agent)) is None:
            return False
        self.agents[event.agent] = msgspec.structs.replace(
            agent, state=event.state, error=event.error, outdated=event.outdated, logins=event.logins
        )
        return True
