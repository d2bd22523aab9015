"""What an agent says of its session in a channel, beside its answers: usage, options, title."""

from __future__ import annotations

from sidekicks.acp.changes import OptionsReplaced, Titled, UsageReported
from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity
from sidekicks.channels.catchup import HEADING
from sidekicks.events import OptionsChanged, TitleChanged, UsageChanged
from sidekicks.models import SessionOption, Usage


class Facts:
    """Keeps them with the channel, and tells those that are new."""

    def __init__(self, bus: Bus, activity: Activity, agent: str) -> None:
        self._bus = bus
        self._activity = activity
        self._agent = agent

    def take(self, fact: UsageReported | OptionsReplaced | Titled) -> None:
        """Takes what the agent said."""
        match fact:
            case UsageReported(usage=usage):
                self._used(usage)
            case OptionsReplaced(options=options):
                self._offered(options)
            case Titled(title=title):
                self._titled(title)

    def _used(self, usage: Usage) -> None:
        former = self._activity.usage.get(self._agent)
        if usage.cost is None and former is not None and former.cost is not None:
            usage = Usage(used=usage.used, size=usage.size, cost=former.cost)
        self._activity.usage[self._agent] = usage
        self._bus.publish(UsageChanged(channel=self._activity.channel.id, agent=self._agent, usage=usage))

    def _offered(self, options: tuple[SessionOption, ...]) -> None:
        if self._activity.options.get(self._agent) != options:
            self._activity.options[self._agent] = options
            channel = self._activity.channel.id
            self._bus.publish(OptionsChanged(channel=channel, agent=self._agent, options=options))

    def _titled(self, title: str) -> None:
        """Some agents take the first words that they were given: those before the user's are no title."""
        if title.startswith(HEADING):
            return
        if self._activity.titles.get(self._agent, "") != title:
            self._activity.titles[self._agent] = title
            channel = self._activity.channel.id
            self._bus.publish(TitleChanged(channel=channel, agent=self._agent, title=title))
