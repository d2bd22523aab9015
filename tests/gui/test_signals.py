"""Events reach the window once per frame, and an idle window has no timer."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from sidekicks.bus import Bus
from sidekicks.events import AgentLog, Event, MessageDelta
from sidekicks.ui.signals import FrameSignals


def text(words: str) -> MessageDelta:
    return MessageDelta(channel="c", message_id="m", index=0, kind="text", text=words)


def test_a_burst_is_one_frame_and_then_it_is_quiet(qtbot: QtBot) -> None:
    bus = Bus()
    signals = FrameSignals(bus)
    timer = signals.findChild(QTimer)
    frames: list[list[Event]] = []
    signals.frame.connect(frames.append)
    with qtbot.waitSignal(signals.frame):
        for number in range(1000):
            bus.publish(text(f"{number} "))
        assert frames == []
    assert frames == [[text("".join(f"{number} " for number in range(1000)))]]
    assert timer is not None
    assert not timer.isActive()


def test_flush_does_not_wait_for_the_frame(qtbot: QtBot) -> None:
    bus = Bus()
    signals = FrameSignals(bus)
    bus.publish(AgentLog(agent="mm", line="x"))
    with qtbot.waitSignal(signals.frame, timeout=0, raising=False) as caught:
        signals.flush()
    assert caught.signal_triggered
    with qtbot.assertNotEmitted(signals.frame, wait=40):
        signals.flush()


def test_nothing_comes_after_close(qtbot: QtBot) -> None:
    bus = Bus()
    signals = FrameSignals(bus)
    bus.publish(text("a"))
    with qtbot.assertNotEmitted(signals.frame, wait=40):
        signals.close()
        bus.publish(text("b"))
