"""How an answer looks on a terminal while it comes."""

from __future__ import annotations

from collections.abc import Callable

from sidekicks.commands.output import put, say
from sidekicks.events import (
    Event,
    MessageDelta,
    MessageUpdated,
    OptionsChanged,
    TitleChanged,
    TurnChanged,
    to_json,
)
from sidekicks.models import ImagePart, Message, PlanPart, SessionOption, ToolPart

TAIL = 4_000
TAIL_LINES = 10
TAIL_LINE = 300
"""Characters, lines and characters of a line that are shown of what a failed tool said."""

_MARKS = {"completed": "x", "in_progress": ">", "pending": " "}


class Printer:
    """The answer goes to stdout as it streams, everything else to stderr; or events to stdout as JSON.

    `several` tells whether more than one agent is in the conversation: then each answer bears a name. `asked`
    is the question: a title that only repeats it is not worth a line.
    """

    def __init__(
        self, *, as_json: bool, several: Callable[[], bool] = lambda: False, asked: str = ""
    ) -> None:
        self.as_json = as_json
        self._asked = " ".join(asked.split())
        self.failed = False
        self._several = several
        self._at_line_start = True
        self._shown: dict[str, str] = {}
        self._options: dict[str, dict[str, str | bool]] = {}

    def show(self, event: Event) -> None:
        """Takes an event of the conversation."""
        if self.as_json:
            put(to_json(event))
        match event:
            case MessageDelta(kind="text"):
                self._write(event.text)
            case MessageDelta(part=ToolPart() as tool):
                self._once(
                    tool.id, "\n".join([f"[{tool.kind}] {tool.title} · {tool.status}", *_last_words(tool)])
                )
            case MessageDelta(part=PlanPart(entries=entries)):
                steps = [f"  [{_MARKS[step.status]}] {step.content}" for step in entries]
                self._once("plan", "\n".join(["[plan]", *steps]))
            case MessageDelta(part=ImagePart() as image):
                self._note(f"[image] {image.name or image.mime_type}, {len(image.data)} bytes")
            case MessageUpdated(message=message):
                self._message(message)
            case TurnChanged(waiting_for=other, answering=agent) if other:
                self._once("turn", f"{agent} is still answering elsewhere; waiting for it.")
            case TurnChanged(silent=True, answering=agent):
                self._once("turn", f"Nothing has been heard of {agent} for a while; Ctrl+C stops it.")
            case TurnChanged():
                self._shown.pop("turn", None)
            case TitleChanged(title=title) if not self._asked.startswith(title.rstrip("…. ")):
                self._once(f"title of {event.agent}", f"{event.agent} calls this: {event.title}")
            case OptionsChanged():
                self._changed(event.agent, event.options)
            case _:
                pass

    def _message(self, message: Message) -> None:
        if message.role == "system":
            self.failed = self.failed or message.code in ("agent-unavailable", "no-recipient")
            self._note(_sentence(message))
        elif message.role == "agent" and not message.done:
            if self._several():
                self._write(f"{message.agent}:\n")
        elif message.role == "agent":
            self._end(message)
        elif message.error:
            self.failed = True
            self._note(f"not sent: {message.error}")

    def _end(self, message: Message) -> None:
        if not self._at_line_start:
            self._write("\n")
        if message.error:
            self._note(f"{message.agent}: {message.error}")
        elif message.stop_reason not in ("end_turn", None):
            self._note(f"{message.agent}: the answer ended early ({message.stop_reason}).")
        self.failed = self.failed or message.stop_reason != "end_turn"

    def _changed(self, agent: str, options: tuple[SessionOption, ...]) -> None:
        """Tells what is chosen otherwise than before; what there is to choose was not asked for."""
        before = self._options.get(agent, {})
        self._options[agent] = {option.id: option.value for option in options}
        for option in options:
            if option.id in before and option.value != before[option.id]:
                self._note(f"[{option.name}] {_value(option)}")

    def _once(self, what: str, line: str) -> None:
        if self._shown.get(what) != line:
            self._shown[what] = line
            self._note(line)

    def _write(self, text: str) -> None:
        if not self.as_json and text:
            put(text, end="")
            self._at_line_start = text.endswith("\n")

    def _note(self, text: str) -> None:
        if self.as_json:
            return
        if not self._at_line_start:
            self._write("\n")
        say(text)


def _last_words(tool: ToolPart) -> list[str]:
    """The end of what a call said that went wrong; nothing of one that did not."""
    if tool.status != "failed" and not tool.exit_code and not tool.signal:
        return []
    lines = [line for line in tool.output[-TAIL:].splitlines() if line.strip()][-TAIL_LINES:]
    return [
        f"  {''.join(c if c.isprintable() else ' ' for c in line)[:TAIL_LINE].rstrip()}" for line in lines
    ]


def _value(option: SessionOption) -> str:
    if isinstance(option.value, bool):
        return "on" if option.value else "off"
    return next((choice.name for choice in option.choices if choice.value == option.value), option.value)


def _sentence(message: Message) -> str:
    match message.code:
        case "agent-unavailable":
            return f"{message.agent} is not available: {message.error}"
        case "no-recipient":
            return "Nobody answers: mention an agent with @name."
        case "agent-joined":
            return f"{message.agent} joined."
        case "notice":
            return f"[notice] {message.agent}: {message.error}"
        case "session-lost":
            why = f" ({message.error})" if message.error else ""
            return f"{message.agent} could not go on with its session{why}; it is given the last messages."
        case _:
            return f"{message.agent} left."
