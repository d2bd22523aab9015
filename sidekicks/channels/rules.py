"""Remembered answers to permission requests: what an agent may, or may not, do with a kind of tool."""

from __future__ import annotations

import re

from sidekicks.bus import Bus
from sidekicks.channels.errors import ChannelError
from sidekicks.events import RulesChanged
from sidekicks.history.port import History, HistoryError
from sidekicks.models import PermissionRule, ToolKind

_PLAIN = frozenset(
    {
        *("", "always", "always allow", "allow always", "allow all", "yes always", "yes to all"),
        *("dont ask again", "yes dont ask again", "yes and dont ask again", "allow and dont ask again"),
        *("always reject", "reject always", "always deny", "deny always", "always refuse", "never"),
        *("never allow", "no never", "no always", "no dont ask again", "no and dont ask again"),
        *("reject and dont ask again", "deny and dont ask again"),
    }
)


def says_no_more(name: str) -> bool:
    """Whether the words of an `always` mean just that; other words may name a command, a folder, a session.

    What is not known counts as narrower: it is left to the agent, and nothing is allowed that was not read.
    """
    return re.sub(r"[\W_]+", " ", re.sub("['’]", "", name.casefold())).strip() in _PLAIN


class Rules:
    """All remembered answers; those of an agent that the configuration lacks for a while are kept, too."""

    def __init__(self, bus: Bus, history: History) -> None:
        self._bus = bus
        self._history = history
        self._rules: dict[tuple[str, ToolKind], PermissionRule] = {}

    async def load(self) -> None:
        """Reads what the history remembers."""
        self._rules = {(rule.agent, rule.kind): rule for rule in await self._history.rules()}

    def list(self) -> tuple[PermissionRule, ...]:
        """All rules, by agent and kind."""
        return tuple(self._rules[key] for key in sorted(self._rules))

    def allowed(self, agent: str, kind: ToolKind) -> bool | None:
        """What is remembered for an agent's tools of a kind; None for nothing."""
        rule = self._rules.get((agent, kind))
        return rule.allowed if rule is not None else None

    async def remember(self, rule: PermissionRule) -> None:
        """Remembers an answer from now on.

        Raises:
            ChannelError: it can't be kept, and is not remembered.
        """
        key = (rule.agent, rule.kind)
        former = self._rules.get(key)
        self._rules[key] = rule
        try:
            await self._history.put_rule(rule)
        except HistoryError as error:
            self._rules.pop(key)
            if former is not None:
                self._rules[key] = former
            raise ChannelError(f"the answer counts this once, but can't be remembered: {error}") from error
        self._tell()

    async def forget(self, agent: str, kind: ToolKind) -> None:
        """Asks again from now on."""
        await self._history.delete_rule(agent, kind)
        self._rules.pop((agent, kind), None)
        self._tell()

    def _tell(self) -> None:
        self._bus.publish(RulesChanged(rules=self.list()))
