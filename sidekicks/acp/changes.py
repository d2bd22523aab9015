"""What an agent's updates mean to the rest of the core, in the words of `models`."""

from __future__ import annotations

from typing import TypeAlias

from sidekicks.models import (
    Command,
    Diff,
    ImagePart,
    Location,
    Model,
    PermissionOption,
    PlanEntry,
    SessionOption,
    ToolKind,
    ToolStatus,
    Usage,
)


class TextAdded(Model, frozen=True):
    """More of the answer; another `message_id` than before begins a new paragraph of it."""

    text: str
    message_id: str | None = None


class ThoughtAdded(Model, frozen=True):
    """More of the reasoning."""

    text: str
    message_id: str | None = None


class ToolChanged(Model, frozen=True):
    """What is known, or has changed, of a tool call; None: not said.

    `name` is the tool's own, for a call that has no title. `appended` is what a terminal of the agent's own
    wrote, escape sequences and all. `only_raw`: the output is the raw one, and no better than what a terminal
    has shown. `shows_terminal`: the output goes before what a terminal shows.
    """

    id: str
    name: str = ""
    title: str | None = None
    kind: ToolKind | None = None
    status: ToolStatus | None = None
    input: str | None = None
    output: str | None = None
    only_raw: bool = False
    shows_terminal: bool = False
    appended: str = ""
    locations: tuple[Location, ...] | None = None
    diffs: tuple[Diff, ...] | None = None
    exit_code: int | None = None
    signal: str | None = None
    images: tuple[ImagePart, ...] | None = None


class TerminalWrote(Model, frozen=True):
    """A terminal that the tool call `id` shows has written this, escape sequences and all."""

    id: str
    text: str


class TerminalEnded(Model, frozen=True):
    """The command in a terminal that the tool call `id` shows has ended, by itself or by a signal."""

    id: str
    exit_code: int | None
    signal: str


class ImageAdded(Model, frozen=True):
    """An image in the answer."""

    image: ImagePart


class PlanReplaced(Model, frozen=True):
    """The plan, whole; `plan_id` tells several apart. One without entries was removed."""

    entries: tuple[PlanEntry, ...]
    plan_id: str = ""


class CommandsReplaced(Model, frozen=True):
    """The agent's slash commands, all of them."""

    commands: tuple[Command, ...]


class UsageReported(Model, frozen=True):
    """How full the context window is."""

    usage: Usage


class NoticeTold(Model, frozen=True):
    """Something to know now, beside the answer; no part of what was said unless it is a `warning`."""

    text: str
    warning: bool


class UserSaid(Model, frozen=True):
    """What the user said, in the past that an agent replays; an image comes alone."""

    text: str = ""
    image: ImagePart | None = None
    message_id: str | None = None


class OptionsReplaced(Model, frozen=True):
    """The session's options, all of them."""

    options: tuple[SessionOption, ...]


class Titled(Model, frozen=True):
    """The session's title."""

    title: str


Change: TypeAlias = (
    NoticeTold
    | TextAdded
    | ThoughtAdded
    | ImageAdded
    | ToolChanged
    | TerminalWrote
    | TerminalEnded
    | PlanReplaced
    | CommandsReplaced
    | UsageReported
    | UserSaid
    | OptionsReplaced
    | Titled
)


class PermissionAsked(Model, frozen=True):
    """An agent asks whether a call may run."""

    tool: ToolChanged
    options: tuple[PermissionOption, ...]
