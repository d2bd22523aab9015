"""The events of one turn, and the sink that takes them. A façade is something that consumes these.

The sink belongs to the turn, not to the process, so several sessions can run at once.
"""

from __future__ import annotations

from typing import Final, Literal, Protocol, TypeAlias

import msgspec

ToolKind: TypeAlias = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"
]
Permission: TypeAlias = Literal["allow", "reject", "cancelled"]
CompactionReason: TypeAlias = Literal["manual", "threshold", "overflow"]
"""Why room is made: the person asked, too little was left, the server refused a request as too large."""


class Location(msgspec.Struct, frozen=True):
    """A file that a tool touches; `line` is 1-based."""

    path: str
    line: int | None = None


class Diff(msgspec.Struct, frozen=True):
    """A change to one file; `old_text` is None for a new file."""

    path: str
    old_text: str | None
    new_text: str


class PlanEntry(msgspec.Struct, frozen=True):
    """One step of the plan."""

    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"


PLAN_MARKS: Final[dict[str, str]] = {"pending": "☐", "in_progress": "▸", "completed": "☑"}
"""How a step's status looks where the plan is text."""


class TextDelta(msgspec.Struct, frozen=True):
    """More of the answer."""

    text: str


class ReasoningDelta(msgspec.Struct, frozen=True):
    """More of the model's reasoning; never part of the history."""

    text: str


class ToolStart(msgspec.Struct, frozen=True):
    """A tool call is complete and about to run; `input` is the arguments as the tool takes them."""

    id: str
    name: str
    title: str
    kind: ToolKind
    input: dict[str, object]
    locations: tuple[Location, ...] = ()
    diffs: tuple[Diff, ...] = ()


class ToolRunning(msgspec.Struct, frozen=True):
    """The whole output of a running tool so far (cumulative, bounded)."""

    id: str
    output: str


class ToolEnd(msgspec.Struct, frozen=True):
    """A tool call is over; `output` is what the model reads."""

    id: str
    name: str
    output: str
    failed: bool
    exit_code: int | None = None
    diffs: tuple[Diff, ...] = ()
    locations: tuple[Location, ...] = ()


class PlanChanged(msgspec.Struct, frozen=True):
    """The plan, whole; it replaces the former one."""

    entries: tuple[PlanEntry, ...]


class PromptProgress(msgspec.Struct, frozen=True):
    """How much of the prompt the server has read, in tokens."""

    processed: int
    total: int


class ComposingTool(msgspec.Struct, frozen=True):
    """The model is writing the arguments of a tool call; `characters` so far."""

    name: str
    characters: int


class UsageReport(msgspec.Struct, frozen=True):
    """Tokens of one model call, from the server; `window` 0 means unknown, speeds are tokens per second."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    window: int = 0
    prefill_speed: float | None = None
    decode_speed: float | None = None


class CompactionStart(msgspec.Struct, frozen=True):
    """Room is being made in the context window, of `window` tokens (0: unknown).

    `summarising`: the model is asked for a summary, which takes a while.
    """

    reason: CompactionReason
    tokens_before: int
    window: int
    summarising: bool

    @property
    def sentence(self) -> str:
        """What a person is told."""
        how = "summarising the older turns" if self.summarising else "leaving out old tool outputs"
        if self.reason == "overflow":
            return f"the conversation (about {self.tokens_before} tokens) is too large for the model: {how}"
        of = f" of {self.window}" if self.window else ""
        return f"the conversation takes {self.tokens_before}{of} tokens: {how}"


class CompactionEnd(msgspec.Struct, frozen=True):
    """Room was made, or not; tokens are estimates. With the last fields a session's file can repeat it.

    `masked` are the ids of the calls whose outputs were left out; the `summary` stands in place of the
    messages before the position `first_kept` of the former history. `error` says why there is no summary;
    nothing is lost then.
    """

    reason: CompactionReason
    tokens_before: int
    tokens_after: int
    masked: tuple[str, ...] = ()
    summary: str = ""
    first_kept: int = 0
    error: str = ""

    @property
    def sentence(self) -> str:
        """What a person is told."""
        outputs = len(self.masked)
        parts = [
            f"no summary was made: {self.error}" if self.error else "",
            f"{outputs} old tool output{'s' if outputs > 1 else ''} left out" if outputs else "",
            "older turns summarised" if self.summary else "",
            f"{self.tokens_before} tokens are now {self.tokens_after}" if outputs or self.summary else "",
        ]
        return "; ".join(part for part in parts if part)


class Notice(msgspec.Struct, frozen=True):
    """One sentence to the person, beside the answer: a warning, or `info`: a retry, what the turn runs on."""

    text: str
    severity: Literal["info", "warning"] = "info"


class Steered(msgspec.Struct, frozen=True):
    """What the person typed while the turn ran is handed to the model now; `text` as it was typed."""

    text: str


Event: TypeAlias = (
    TextDelta
    | ReasoningDelta
    | ToolStart
    | ToolRunning
    | ToolEnd
    | PlanChanged
    | PromptProgress
    | ComposingTool
    | UsageReport
    | CompactionStart
    | CompactionEnd
    | Notice
    | Steered
)


class Sink(Protocol):
    """Where a turn's events go, in order, and who answers for the person."""

    async def emit(self, event: Event) -> None:
        """Takes one event."""
        ...

    async def allow(self, call: ToolStart) -> Permission:
        """Whether this very call may run. The terminal says yes; ACP asks and remembers."""
        ...
