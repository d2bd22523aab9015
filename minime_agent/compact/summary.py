"""A summary in place of old turns: what the model is asked for, and how its answer stands in the history."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from minime_agent.engine.messages import Message, user
from minime_agent.tools.workspace import clip

_HEAD = "[Notes on the conversation so far, which was left out to make room]\n"
_TAKEN = "I have read the notes and go on from there."
"""Follows the notes: several chat templates refuse two messages of the person in a row."""
_JOINT = "\n\n[and then]\n"

_SYSTEM = "You write the notes of an agent that works on a computer. Write the notes and nothing else."
_ASK = """\
This is the older part of the agent's conversation with a person. It will be deleted; only your notes remain.

<conversation>
{conversation}
</conversation>
{former}
Write the notes, in at most {words} words, in the language of the person, in this form:
Goal: what the person wants, with each wish and limit that they named
Done: what was changed and found out, with paths, names, commands, numbers and errors as they were
Open: what is not done
Invent nothing; leave out a line that has nothing to say.{instructions}"""
_KEPT = """
These notes on what came before are kept as they are; do not repeat them:

<notes>
{notes}
</notes>
"""
_MERGED = """
These are the notes on what came before. Write them anew, together with the new ones; keep what still holds:

<notes>
{notes}
</notes>
"""
_ONE_MESSAGE = 2_000
"""Characters of one message that the summary is written from, both ends; a file's content is not news."""
_WORDS_PER_TOKEN = 0.6


class Task(msgspec.Struct, frozen=True):
    """One summary to write: the request's messages, and the former notes that go before its answer."""

    messages: tuple[Message, ...]
    kept: str = ""

    def notes(self, answer: str) -> str:
        """The whole notes, with the model's answer."""
        return f"{self.kept}{_JOINT}{answer}" if self.kept else answer


def former_notes(history: Sequence[Message]) -> str:
    """The notes that the history begins with; empty when it has none."""
    content = history[0].content if history else None
    return content.removeprefix(_HEAD) if content and content.startswith(_HEAD) else ""


def new_messages(history: Sequence[Message], first_kept: int) -> Sequence[Message]:
    """What a summary would replace, without the notes that stand there already."""
    return history[2 if former_notes(history) else 0 : first_kept]


def task(
    history: Sequence[Message], first_kept: int, *, max_tokens: int, size: int, instructions: str = ""
) -> Task:
    """The request for the notes on the turns before `first_kept`, of which at most `size` bytes are sent.

    Former notes are kept word by word: each time a model rewrites them, detail is lost. Only when they have
    outgrown `max_tokens` are they merged by the model.
    """
    former = former_notes(history)
    outgrown = len(former) > max_tokens * 3
    notes = (_MERGED if outgrown else _KEPT).format(notes=former) if former else ""
    conversation = _transcript(new_messages(history, first_kept))
    characters = size * len(conversation) // max(len(conversation.encode()), 1)
    text = _ASK.format(
        conversation=clip(conversation, characters, "the middle is lost"),
        former=notes,
        words=round(max_tokens * _WORDS_PER_TOKEN),
        instructions=f"\nThe person asks of the notes: {instructions}" if instructions else "",
    )
    return Task((Message("system", _SYSTEM), user(text)), "" if outgrown else former)


def with_notes(history: Sequence[Message], first_kept: int, notes: str) -> list[Message]:
    """The history with notes in place of what stands before `first_kept`, which must begin a turn."""
    return [user(_HEAD + notes), Message("assistant", _TAKEN), *history[first_kept:]]


def _transcript(messages: Sequence[Message]) -> str:
    return "\n".join(line for message in messages for line in _lines(message))


def _lines(message: Message) -> list[str]:
    text = clip(message.content or "", _ONE_MESSAGE)
    if message.role == "tool":
        return [f"Result: {text}"]
    lines = [f"{'Person' if message.role == 'user' else 'Agent'}: {text}"] if text else []
    calls = (call.function for call in message.tool_calls)
    return lines + [f"Agent calls {call.name} {clip(call.arguments, _ONE_MESSAGE)}" for call in calls]
