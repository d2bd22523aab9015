"""What an agent is told of the messages that it has not seen, before the prompt."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from sidekicks.models import Message, TextPart

MESSAGES = 20
CHARACTERS = 1_500


def catch_up(unseen: Iterable[Message], agent: str, *, new_session: bool = False) -> str:
    """The text that goes before the user's words in a prompt to `agent`; empty when nothing is new.

    `unseen` are the channel's messages, oldest first, after the last one that the agent saw and before the
    one that it is to answer; the last 20 count, each cut at 1,500 characters. An agent's own answers are
    left out, as its session has them, unless that is a `new_session`, which knows nothing yet. Notes of
    the system and messages that were never sent are no part of the conversation.
    """
    told = [
        (author, text)
        for message in unseen
        if _was_said(message) and (new_session or message.role == "user" or message.agent != agent)
        if (text := said(message))
        for author in [_author(message, agent)]
    ]
    if not told:
        return ""
    blocks = [f"<message from={quoteattr(author)}>\n{_cut(text)}\n</message>" for author, text in told]
    return "\n".join(["Said in this channel before, for your information:", *blocks[-MESSAGES:]]) + "\n\n"


def said(message: Message) -> str:
    """The text of a message without its reasoning, tool calls and plans."""
    return "\n\n".join(part.text.strip() for part in message.parts if isinstance(part, TextPart)).strip()


def _was_said(message: Message) -> bool:
    dropped = message.role == "user" and message.error == "cancelled"
    return message.role != "system" and message.done and not message.queued and not dropped


def _author(message: Message, agent: str) -> str:
    if message.role == "user":
        return "user"
    return f"{agent} (you)" if message.agent == agent else message.agent


def _cut(text: str) -> str:
    return text if len(text) <= CHARACTERS else text[:CHARACTERS] + "…"
