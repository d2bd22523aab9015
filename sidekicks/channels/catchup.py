"""What an agent is told of the messages that it has not seen, before the prompt."""

from __future__ import annotations

from collections.abc import Iterable

from sidekicks.models import FilePart, ImagePart, Message, Part, TextPart

HEADING = "Said in this channel before, for your information:"
_END = "\n</message>\n\n"
MESSAGES = 20
CHARACTERS = 1_500


def catch_up(unseen: Iterable[Message], agent: str, *, new_session: bool = False) -> str:
    """The text that goes before the user's words in a prompt to `agent`; empty when nothing is new.

    `unseen` are the channel's messages, oldest first, after the last one that the agent saw and before the
    one that it is to answer; the last 20 count, each cut at 1,500 characters. An agent's own answers are
    left out, as its session has them, unless that is a `new_session`, which knows nothing yet, or one broke
    off or was stopped: most agents keep whole answers only. Notes of the system and messages that were never
    sent are no part of the conversation.
    """
    told = [
        (author, text)
        for message in unseen
        if _was_said(message) and (new_session or _is_news(message, agent))
        if (text := said(message))
        for author in [_author(message, agent)]
    ]
    if not told:
        return ""
    # It brings urllib along, 5 ms: not for a start.
    from xml.sax.saxutils import quoteattr

    blocks = [f"<message from={quoteattr(author)}>\n{_cut(text)}\n</message>" for author, text in told]
    return "\n".join([HEADING, *blocks[-MESSAGES:]]) + "\n\n"


def said(message: Message) -> str:
    """The text of a message without its reasoning, tool calls and plans; images and files are named."""
    return "\n\n".join(text for part in message.parts if (text := _said(part))).strip()


def _said(part: Part) -> str:
    match part:
        case TextPart(text=text):
            return text.strip()
        case ImagePart():
            return f"[an image: {part.name or part.mime_type}]"
        case FilePart(path=path):
            return f"[a file: {path}]"
        case _:
            return ""


def without_catch_up(text: str) -> str:
    """The user's words of a prompt, without what `catch_up` has put before them."""
    return text.rpartition(_END)[2] if text.startswith(HEADING) else text


def _was_said(message: Message) -> bool:
    dropped = message.role == "user" and message.error == "cancelled"
    return message.role != "system" and message.done and not message.queued and not dropped


def _is_news(message: Message, agent: str) -> bool:
    broke_off = bool(message.error) or message.stop_reason == "cancelled"
    return message.role == "user" or message.agent != agent or broke_off


def _author(message: Message, agent: str) -> str:
    if message.role == "user":
        return "user"
    return f"{agent} (you)" if message.agent == agent else message.agent


def _cut(text: str) -> str:
    return text if len(text) <= CHARACTERS else text[:CHARACTERS] + "…"
