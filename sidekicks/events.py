"""Every event that the core sends out: one closed union of frozen types, matched exhaustively."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from sidekicks import models
from sidekicks.models import Model


class ConfigChanged(Model, frozen=True, tag_field="event", tag="config:changed"):
    """The configuration file was saved and read again, valid or not."""

    path: str
    valid: bool
    problems: tuple[models.Problem, ...]


class AgentStateChanged(Model, frozen=True, tag_field="event", tag="agent:state"):
    """An agent changed its state, or its definition changed."""

    agent: str
    state: models.AgentState
    error: str = ""
    outdated: bool = False
    logins: tuple[models.LoginMethod, ...] = ()


class AgentLog(Model, frozen=True, tag_field="event", tag="agent:log"):
    """An agent wrote a line on its stderr."""

    agent: str
    line: str


class ChannelsChanged(Model, frozen=True, tag_field="event", tag="channels:changed"):
    """A channel was created, renamed or deleted, or its members changed; all channels, oldest first."""

    channels: tuple[models.Channel, ...]


class MessageUpdated(Model, frozen=True, tag_field="event", tag="message:updated"):
    """A message was added, or is finished."""

    channel: str
    message: models.Message


class MessageDelta(Model, frozen=True, tag_field="event", tag="message:delta"):
    """`text` is added to the part at `index` (text, thought), or `part` replaces it (any other)."""

    channel: str
    message_id: str
    index: int
    kind: Literal["text", "thought", "tool", "plan", "image"]
    text: str = ""
    part: models.Part | None = None


class TurnChanged(Model, frozen=True, tag_field="event", tag="turn:changed"):
    """A channel begins or ends answering, or another agent's turn begins; `queued` messages wait.

    `waiting_for` is the id of the channel in which `answering` is still busy, when this one waits for it.
    `silent`: nothing has been heard of `answering` for a long time.
    """

    channel: str
    busy: bool
    queued: int
    answering: str
    waiting_for: str = ""
    silent: bool = False


class PermissionRequested(
    models.PermissionRequest, frozen=True, tag_field="event", tag="permission:requested"
):
    """An agent asks to use a tool."""


class PermissionResolved(Model, frozen=True, tag_field="event", tag="permission:resolved"):
    """A request was answered, or withdrawn by Stop."""

    id: str
    channel: str


class UsageChanged(Model, frozen=True, tag_field="event", tag="usage:changed"):
    """An agent said how full its context window is."""

    channel: str
    agent: str
    usage: models.Usage


class CommandsChanged(Model, frozen=True, tag_field="event", tag="commands:changed"):
    """An agent announced its slash commands; they replace the former ones."""

    agent: str
    commands: tuple[models.Command, ...]


class OptionsChanged(Model, frozen=True, tag_field="event", tag="options:changed"):
    """What can be chosen for an agent in a channel, or what is chosen, has changed; all of its options."""

    channel: str
    agent: str
    options: tuple[models.SessionOption, ...]


class TitleChanged(Model, frozen=True, tag_field="event", tag="title:changed"):
    """An agent named its session in a channel."""

    channel: str
    agent: str
    title: str


class UnreadChanged(Model, frozen=True, tag_field="event", tag="unread:changed"):
    """How many messages of a channel the user has not seen; `last_read` is the newest that was."""

    channel: str
    unread: int
    last_read: str


class RulesChanged(Model, frozen=True, tag_field="event", tag="rules:changed"):
    """An answer was remembered or revoked; all that are remembered."""

    rules: tuple[models.PermissionRule, ...]


class ElicitationRequested(models.Elicitation, frozen=True, tag_field="event", tag="elicitation:requested"):
    """An agent asks the user for something."""


class ElicitationResolved(Model, frozen=True, tag_field="event", tag="elicitation:resolved"):
    """It was answered, or withdrawn."""

    id: str
    channel: str


Event: TypeAlias = (
    ConfigChanged
    | AgentStateChanged
    | AgentLog
    | ChannelsChanged
    | MessageUpdated
    | MessageDelta
    | TurnChanged
    | PermissionRequested
    | PermissionResolved
    | UsageChanged
    | CommandsChanged
    | OptionsChanged
    | TitleChanged
    | UnreadChanged
    | RulesChanged
    | ElicitationRequested
    | ElicitationResolved
)

_encoder = msgspec.json.Encoder()


def to_json(event: Event) -> str:
    """The event as one line of JSON: `event` names it, the other keys are its payload in camelCase."""
    return _encoder.encode(event).decode()
