"""A sink that keeps what a turn did, and answers permissions as a test says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from minime_agent.ui.events import Event, Permission, TextDelta, ToolStart

T = TypeVar("T")


def _yes(_call: ToolStart) -> Permission:
    return "allow"


@dataclass
class RecordingSink:
    """`answer` decides each permission; `watch` sees every event as it comes."""

    answer: Callable[[ToolStart], Permission] = _yes
    watch: Callable[[Event], None] = lambda _event: None
    events: list[Event] = field(default_factory=list)
    asked: list[ToolStart] = field(default_factory=list)

    async def emit(self, event: Event) -> None:
        self.events.append(event)
        self.watch(event)

    async def allow(self, call: ToolStart) -> Permission:
        self.asked.append(call)
        return self.answer(call)

    def of(self, kind: type[T]) -> list[T]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def text(self) -> str:
        """All the text that was shown as answer."""
        return "".join(event.text for event in self.of(TextDelta))
