"""What every tool is: a schema, a description, a prepared call. It knows the sink, not the façades."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec

from minime_agent.tools.workspace import Workspace
from minime_agent.ui.events import Diff, Location, Sink, ToolKind


class ToolFailure(Exception):  # noqa: N818 (it is an outcome, told to the model, not an error of the program)
    """A call that cannot run; the message is the text that the model reads and can act on.

    `path` names the file whose edit was refused: the same refusal in other words is no other refusal.
    """

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class ToolResult(msgspec.Struct, frozen=True):
    """What a call gave; `output` is what the model reads. `refused_path`: see `ToolFailure`."""

    output: str
    failed: bool = False
    exit_code: int | None = None
    diffs: tuple[Diff, ...] = ()
    locations: tuple[Location, ...] = ()
    refused_path: str = ""


class PreparedCall(msgspec.Struct, frozen=True):
    """A call whose arguments are checked: what a person may be shown before it runs, and how it runs.

    `run` takes the turn's sink and the call's id; it ends what it started when it is cancelled.
    """

    title: str
    kind: ToolKind
    run: Callable[[Sink, str], Awaitable[ToolResult]]
    locations: tuple[Location, ...] = ()
    diffs: tuple[Diff, ...] = ()


class Tool(Protocol):
    """One tool. `schema` is the JSON schema of its arguments, as the model gets it."""

    @property
    def name(self) -> str:
        """The name the model calls it by."""
        ...

    @property
    def description(self) -> str:
        """What the model is told."""
        ...

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the arguments."""
        ...

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Checks the arguments and changes nothing; raises `ToolFailure` where the call cannot run."""
        ...


@runtime_checkable
class Lasting(Protocol):
    """A tool that keeps something running between its calls."""

    async def close(self) -> None:
        """Ends it; a later call starts it again."""
        ...
