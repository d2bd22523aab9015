"""What the empty states say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject

from sidekicks.models import AgentStatus, Channel
from sidekicks.ui.agents.icon import agent_pixmap
from sidekicks.ui.empty import Choice, Empty
from sidekicks.ui.theme import Theme

BUNDLED_AGENT = "mm"
_PICTURE = 40


@dataclass(frozen=True)
class Ways:
    """Where the buttons of the empty states lead."""

    connect_model: Callable[[], None]
    settings: Callable[[], None]
    start: Callable[[str], None]
    logs: Callable[[str], None]
    new_channel: Callable[[], None]


class EmptyTexts(QObject):
    """Chooses the empty state of a conversation without messages."""

    def __init__(self, ways: Ways, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ways = ways

    def no_agent(self) -> Empty:
        """The configuration names no agent."""
        return Empty(
            self.tr("No agent is configured"),
            self.tr("Agents stand in one file: a name and the command that starts it are enough."),
            (Choice(self.tr("Open settings"), self._ways.settings, primary=True),),
        )

    def direct(self, agent: AgentStatus, theme: Theme, ratio: float) -> Empty:
        """A direct conversation that has not begun."""
        picture = agent_pixmap(agent, theme, theme.px(_PICTURE), ratio)
        if agent.state == "error":
            return self._broken(agent)
        if agent.name == BUNDLED_AGENT:
            return Empty(
                agent.title,
                self.tr(
                    "Runs on this machine: on the model server it finds, otherwise on SmolLM2 135M, "
                    "embedded: small, for trying things out."
                ),
                (Choice(self.tr("Connect a bigger model…"), self._ways.connect_model),),
                picture,
            )
        text = agent.description or self.tr("Write a message: the agent is started by itself.")
        return Empty(agent.title, text, (), picture)

    def gone(self, name: str) -> Empty:
        """A direct conversation with an agent that the configuration names no more."""
        return Empty(
            self.tr("{agent} is no longer configured").format(agent=name),
            self.tr("To write to it again, bring it back in the settings."),
            (Choice(self.tr("Open settings"), self._ways.settings, primary=True),),
        )

    def channel(self, channel: Channel, title: str) -> Empty:
        """A channel in which nobody has said anything."""
        if channel.members:
            text = self.tr("Write a message. Mention an agent with @ to say who should answer.")
        else:
            text = self.tr("Nobody is in this channel yet. Mention an agent with @ and it joins.")
        return Empty(title, channel.description or text)

    def _broken(self, agent: AgentStatus) -> Empty:
        first = next((line for line in agent.error.splitlines() if line.strip()), "")
        return Empty(
            self.tr("{agent} does not run").format(agent=agent.title),
            first,
            (
                Choice(self.tr("Try again"), partial(self._ways.start, agent.name), primary=True),
                Choice(self.tr("Show logs"), partial(self._ways.logs, agent.name)),
                Choice(self.tr("Open settings"), self._ways.settings),
            ),
        )
