"""What one question prints: the answer alone on stdout, as text, as one JSON object, or event by event."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Literal, TextIO, TypeAlias

import msgspec

from minime_agent.engine.session import Outcome
from minime_agent.oneshot.stream import EventLines
from minime_agent.store.entries import Header
from minime_agent.ui.events import (
    PLAN_MARKS,
    CompactionEnd,
    CompactionStart,
    Event,
    Notice,
    Permission,
    PlanChanged,
    ToolEnd,
    ToolStart,
    UsageReport,
)

OutputFormat: TypeAlias = Literal["text", "json", "stream-json"]


class OutputError(Exception):
    """Nothing more can be written on stdout: its reader left (`mm -p … | head -1`), or the disk is full."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Output:
    """The sink of a one-shot turn. Nobody is there to be asked, so every call is allowed."""

    def __init__(
        self,
        form: OutputFormat,
        answer: TextIO = sys.stdout,
        aside: TextIO = sys.stderr,
        session: Header | None = None,
    ) -> None:
        self._form = form
        self._answer, self._aside = answer, aside
        self._usage: UsageReport | None = None
        self._session = session
        self._events = EventLines() if form == "stream-json" else None
        if self._events is not None and session is not None:
            self._line(msgspec.to_builtins(session))

    def begin(self, question: str) -> None:
        """Before the turn."""
        if self._events is not None:
            self._lines(self._events.start(question))

    async def emit(self, event: Event) -> None:
        """Shows notices and tool calls beside the answer; streams everything as JSON lines when asked to."""
        match event:
            case Notice(text):
                self._say(text)
            case CompactionStart(summarising=True) | CompactionEnd():
                self._say(event.sentence)
            case ToolStart(title=title, name=name):
                self._say(f"{name}: {title}")
            case ToolEnd(failed=True, output=output):
                self._say(f"  {output.strip().rpartition(chr(10))[2]}")
            case PlanChanged(entries):
                for entry in entries:
                    self._say(f"  {PLAN_MARKS[entry.status]} {entry.content}")
            case UsageReport():
                self._usage = event
            case _:
                pass
        if self._events is not None:
            self._lines(self._events.lines(event))

    async def allow(self, call: ToolStart) -> Permission:
        """Yes: the person who typed the command asked for it."""
        return "allow"

    def finished(self, outcome: Outcome) -> None:
        """Prints the answer."""
        if self._form == "text":
            if outcome.text:
                self._print(outcome.text.rstrip("\n"))
            return
        if self._events is not None:
            self._lines(self._events.end(outcome.stop))
        self._line(
            {
                "type": "result",
                "ok": outcome.stop == "end_turn",
                "stop_reason": outcome.stop,
                "text": outcome.text,
                "usage": msgspec.to_builtins(self._usage),
                **self._names_session(),
            }
        )

    def failed(self, message: str) -> None:
        """Says why there is no answer: on stderr for people, on stdout too for programs that read JSON."""
        self._say(message)
        if self._events is not None:
            self._lines(self._events.end("error", message))
        if self._form != "text":
            self._line({"type": "result", "ok": False, "error": message, **self._names_session()})

    def _names_session(self) -> dict[str, str]:
        return {"session_id": self._session.id} if self._session else {}

    def _say(self, text: str) -> None:
        self._aside.write(f"mm: {text}\n")
        self._aside.flush()

    def _lines(self, bodies: Iterable[dict[str, Any]]) -> None:
        for body in bodies:
            self._line(body)

    def _line(self, body: dict[str, Any]) -> None:
        self._print(msgspec.json.encode(body).decode())

    def _print(self, text: str) -> None:
        try:
            self._answer.write(text + "\n")
            self._answer.flush()
        except OSError as error:
            raise OutputError(error) from error
