"""Messages typed while a turn runs: those that steer it, and those that follow it. Both can be taken back."""

from __future__ import annotations

from minime_agent.engine.session import Session


class Waiting:
    """What waits, in the order in which it was typed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._follow_ups: list[str] = []
        self._typed: list[bool] = []
        """For each message whether it steers, oldest first; those that were handed over count no more."""

    def steer(self, text: str) -> None:
        """For the turn that runs, before its next model call."""
        self._session.steer(text)
        self._typed.append(True)

    def follow_up(self, text: str) -> None:
        """For when the turn is over."""
        self._follow_ups.append(text)
        self._typed.append(False)

    def take_back(self) -> str | None:
        """The message that was typed last."""
        while self._typed:
            steers = self._typed.pop()
            text = self._session.take_back() if steers else self._follow_ups.pop()
            if text is not None:
                return text
        return None

    def take_all_back(self) -> list[str]:
        """All of them, oldest first."""
        taken = list(iter(self.take_back, None))
        return taken[::-1]

    def next(self) -> str | None:
        """What to go on with after a turn: what came too late to steer it, then the follow-ups."""
        if late := self._session.steering:
            while self._session.take_back() is not None:
                pass
            self._typed = [False] * len(self._follow_ups)
            return "\n\n".join(late)
        self._typed = [False] * len(self._follow_ups)
        if not self._follow_ups:
            return None
        self._typed.pop(0)
        return self._follow_ups.pop(0)

    @property
    def shown(self) -> list[str]:
        """A line for each."""
        steering = [f"next: {_short(text)}" for text in self._session.steering]
        return steering + [f"then: {_short(text)}" for text in self._follow_ups]


def _short(text: str) -> str:
    line = " ".join(text[:500].split())
    return line if len(line) <= 60 else f"{line[:59]}…"
