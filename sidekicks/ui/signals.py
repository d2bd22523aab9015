"""The core's events for the window, once per frame: hundreds of updates a second cost one repaint."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from sidekicks.bus import Bus
from sidekicks.events import Event, MessageDelta, MessageUpdated, UsageChanged

FRAME_MS = 16

_Key: TypeAlias = tuple[int, str]
_K = TypeVar("_K")


class _Joined:
    """Text deltas of one part, joined only when the frame is due: joining at once would be quadratic."""

    def __init__(self, first: MessageDelta) -> None:
        self._first = first
        self._texts = [first.text]

    def add(self, text: str) -> None:
        self._texts.append(text)

    def event(self) -> MessageDelta:
        if len(self._texts) == 1:
            return self._first
        return msgspec.structs.replace(self._first, text="".join(self._texts))


class Frame:
    """What happened since the last frame, in order.

    Text of the same part is joined, of a tool call, a plan or a usage the latest is kept. A message that
    arrives whole ends that for its deltas: what comes later belongs after it.
    """

    def __init__(self) -> None:
        self._waiting: list[Event | _Joined] = []
        self._places: dict[str, dict[_Key, int]] = {}
        self._usage: dict[tuple[str, str], int] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, event: Event) -> None:
        """Takes one event."""
        match event:
            case MessageDelta(kind="text" | "thought"):
                self._join(event)
            case MessageDelta():
                places = self._places.setdefault(event.message_id, {})
                self._keep_latest(event, places, (event.index, event.kind))
            case UsageChanged():
                self._keep_latest(event, self._usage, (event.channel, event.agent))
            case MessageUpdated():
                self._places.pop(event.message.id, None)
                self._waiting.append(event)
            case _:
                self._waiting.append(event)

    def _join(self, event: MessageDelta) -> None:
        places = self._places.setdefault(event.message_id, {})
        key = (event.index, event.kind)
        if (place := places.get(key)) is None:
            places[key] = len(self._waiting)
            self._waiting.append(_Joined(event))
        else:
            joined = self._waiting[place]
            assert isinstance(joined, _Joined)
            joined.add(event.text)

    def _keep_latest(self, event: Event, places: dict[_K, int], key: _K) -> None:
        if (place := places.get(key)) is None:
            places[key] = len(self._waiting)
            self._waiting.append(event)
        else:
            self._waiting[place] = event

    def take(self) -> list[Event]:
        """What waits, oldest first; nothing waits afterwards."""
        waiting, self._waiting = self._waiting, []
        self._places.clear()
        self._usage.clear()
        return [item.event() if isinstance(item, _Joined) else item for item in waiting]


class FrameSignals(QObject):
    """Emits `frame` with the events of a frame, `FRAME_MS` after the first; without events no timer runs."""

    frame = Signal(list)

    def __init__(self, bus: Bus, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._frame = Frame()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.flush)
        self._stop = bus.listen(self._take)

    def _take(self, event: Event) -> None:
        self._frame.add(event)
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Emits what waits now instead of at the end of the frame."""
        self._timer.stop()
        if self._frame:
            self.frame.emit(self._frame.take())

    def close(self) -> None:
        """Listens no longer; what still waits is dropped."""
        self._stop()
        self._timer.stop()
        self._frame.take()
