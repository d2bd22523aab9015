"""Who answers a message: one pure function."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sidekicks.channels.mentions import Mention, find_mentions
from sidekicks.models import Channel, Model, SystemCode

_AGENT_COMMAND = re.compile(r"/([A-Za-z0-9][A-Za-z0-9_-]*):(\S.*)", re.DOTALL)
_BETWEEN = re.compile(r"[\s,:;]*")


class Route(Model, frozen=True):
    """Who gets what.

    `recipients` answer one after the other; those of `joins` become members first. A `command` goes alone,
    without the messages that the agent has not seen. `sent` is given to the agents as the user's words.
    `code` is set when nobody answers.
    """

    recipients: tuple[str, ...]
    sent: str
    joins: tuple[str, ...] = ()
    command: bool = False
    code: SystemCode | None = None


def route(text: str, channel: Channel, agents: Sequence[str], last_answerer: str | None) -> Route:
    """Who answers `text` in `channel`; `agents` are the configured names, `last_answerer` who answered last.

    The rules, the first that fits: a direct conversation's agent answers anything in it; `/agent:command`
    goes to that agent; mentioned agents answer in the order of their mentions; else the last that
    answered, or the only member; else nobody (`no-recipient`). For any text there is a route.
    """
    beginning = text.lstrip()
    if channel.direct:
        sent = _own_command(beginning, channel.direct) or text
        return Route(recipients=(channel.direct,), sent=sent, command=beginning.startswith("/"))

    addressed = _agent_command(beginning, agents)
    if addressed is not None:
        agent, sent = addressed
        return Route(recipients=(agent,), sent=sent, joins=_joining((agent,), channel), command=True)

    mentions = find_mentions(text, agents)
    rest = _after_leading_mentions(text, mentions)
    command = rest.startswith("/")
    recipients = tuple(dict.fromkeys(mention.name for mention in mentions))
    if not recipients:
        recipients = _unmentioned(channel, last_answerer)
    return Route(
        recipients=recipients,
        sent=rest if command else text,
        joins=_joining(recipients, channel),
        command=command,
        code=None if recipients else "no-recipient",
    )


def _agent_command(text: str, agents: Iterable[str]) -> tuple[str, str] | None:
    """The agent and the command of `/agent:command arguments`, when there is such an agent."""
    match = _AGENT_COMMAND.match(text)
    if match is None:
        return None
    named = match[1].casefold()
    agent = next((name for name in agents if name.casefold() == named), None)
    return None if agent is None else (agent, f"/{match[2]}")


def _own_command(text: str, agent: str) -> str:
    """`/command` for `/agent:command` in that agent's direct conversation, else empty."""
    addressed = _agent_command(text, (agent,))
    return "" if addressed is None else addressed[1]


def _after_leading_mentions(text: str, mentions: Iterable[Mention]) -> str:
    """What is left of the text without the mentions (and the marks between them) that it begins with."""
    position = len(text) - len(text.lstrip())
    for mention in mentions:
        if mention.start != position:
            break
        between = _BETWEEN.match(text, mention.end)
        position = between.end() if between else mention.end
    return text[position:]


def _unmentioned(channel: Channel, last_answerer: str | None) -> tuple[str, ...]:
    if last_answerer is not None and last_answerer in channel.members:
        return (last_answerer,)
    return channel.members if len(channel.members) == 1 else ()


def _joining(recipients: tuple[str, ...], channel: Channel) -> tuple[str, ...]:
    return tuple(agent for agent in recipients if agent not in channel.members)
