"""What mm is doing right now, in a few words: the line with the spinner."""

from __future__ import annotations

import time
from collections.abc import Callable

from minime_agent.ui.events import (
    CompactionEnd,
    CompactionStart,
    ComposingTool,
    Event,
    PromptProgress,
    ReasoningDelta,
    TextDelta,
    ToolEnd,
    ToolStart,
)

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAMES_PER_SECOND = 10
_WAITING = "Waiting for the model"
_SECONDS_SHOWN_FROM = 2


class Activity:
    """Follows the events of a turn; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._what = ""
        self._since = 0.0

    @property
    def busy(self) -> bool:
        """Whether work runs."""
        return bool(self._what)

    def begin(self, what: str = _WAITING) -> None:
        """Work begins."""
        self._do(what)

    def end(self) -> None:
        """Nothing runs any more."""
        self._what = ""

    def see(self, event: Event) -> None:
        """Takes what happens in the turn."""
        match event:
            case PromptProgress(processed, total) if total:
                self._do(f"Reading the prompt {processed / 1000:.1f}k/{total / 1000:.1f}k tokens", "Reading")
            case ReasoningDelta():
                self._do("Thinking")
            case TextDelta():
                self._do("Answering")
            case ComposingTool(name, characters):
                size = f", {characters / 1000:.1f}k characters" if characters >= 1000 else ""
                self._do(f"Composing a tool call ({name}{size})", "Composing")
            case ToolStart(name=name):
                self._do(f"Running {name}")
            case CompactionStart(summarising=True):
                self._do("Summarising the older turns")
            case ToolEnd() | CompactionEnd():
                self._do(_WAITING)
            case _:
                pass

    def line(self) -> str:
        """The line as it is now; empty when nothing runs."""
        if not self._what:
            return ""
        now = self._clock()
        seconds = int(now - self._since)
        frame = _FRAMES[int(now * _FRAMES_PER_SECOND) % len(_FRAMES)]
        return f"{frame} {self._what}{f' {seconds} s' if seconds >= _SECONDS_SHOWN_FROM else ''}"

    def _do(self, what: str, kind: str = "") -> None:
        """The seconds go on while it is the same kind of work."""
        if not self._what.startswith(kind or what) or not self._what:
            self._since = self._clock()
        self._what = what
