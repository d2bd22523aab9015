"""When an agent counts as silent, second by second."""

from __future__ import annotations

from collections.abc import Callable

from sidekicks.channels.silence import Silence


class Timer:
    def __init__(self, due: float, callback: Callable[[], None]) -> None:
        self.due, self.callback, self.is_cancelled = due, callback, False

    def cancel(self) -> None:
        self.is_cancelled = True


class Clock:
    """An event loop whose time passes when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer:
        self.timers.append(Timer(self.now + delay, callback))
        return self.timers[-1]

    def pass_until(self, end: float) -> None:
        while due := [timer for timer in self.timers if timer.due <= end and not timer.is_cancelled]:
            timer = min(due, key=lambda each: each.due)
            self.timers.remove(timer)
            self.now = timer.due
            timer.callback()
        self.now = end


class Watched:
    """A silence of 60 seconds, and what it told when."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.silence = Silence(self.clock)
        self.told: list[tuple[float, bool]] = []
        self.excused = False
        self.watch = self.silence.watch(
            60,
            is_excused=lambda: self.excused,
            told=lambda: self.told.append((self.clock.now, self.silence.silent)),
        )


def test_an_agent_is_silent_after_its_time_and_no_more_when_it_is_heard() -> None:
    watched = Watched()
    with watched.watch:
        watched.clock.pass_until(59)
        assert watched.told == []
        watched.clock.pass_until(90)
        watched.silence.heard()
        watched.silence.heard()
        assert watched.told == [(60, True), (90, False)]
        watched.clock.pass_until(300)
    assert [silent for _, silent in watched.told] == [True, False, True]
    assert not watched.silence.silent  # the answer is over, that is told with it
    watched.clock.pass_until(500)
    assert len(watched.told) == 3


def test_an_agent_that_goes_on_talking_is_not_silent() -> None:
    watched = Watched()
    with watched.watch:
        for second in range(1, 1000):
            watched.clock.pass_until(second)
            if second % 59 == 0:
                watched.silence.heard()
        assert watched.told == []
        watched.clock.pass_until(59 * 16 + 60)
        assert watched.told == [(59 * 16 + 60, True)]  # counted from the last word


def test_time_in_which_it_is_excused_does_not_count() -> None:
    watched = Watched()
    with watched.watch:
        watched.excused = True
        watched.clock.pass_until(600)
        watched.excused = False
        watched.clock.pass_until(659)
        assert watched.told == []
        watched.clock.pass_until(660)
        assert watched.told == [(660, True)]
        watched.excused = True  # it has asked the user
        watched.clock.pass_until(720)
        assert watched.told == [(660, True), (720, False)]


def test_nothing_is_told_while_nobody_is_awaited() -> None:
    watched = Watched()
    watched.silence.heard()
    watched.clock.pass_until(600)
    assert watched.told == []
