"""A channel as Markdown, to be read by people: what was said, with thoughts and tool calls folded."""

from __future__ import annotations

import difflib
import html
import re
from datetime import tzinfo

from sidekicks.models import (
    Channel,
    Diff,
    FilePart,
    ImagePart,
    Message,
    Part,
    PlanPart,
    TextPart,
    ThoughtPart,
    ToolPart,
)

DIFF_LIMIT = 200_000
"""Characters of two texts that are compared; beyond it takes too long."""

_fence = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")


def heading(channel: Channel) -> str:
    """The beginning of the document."""
    name = channel.name or f"Conversation with {channel.direct}"
    members = ", ".join(channel.members)
    lines = (f"# {name}", channel.description, f"Agents: {members}" if members and channel.name else "")
    return "\n\n".join(line for line in lines if line) + "\n"


def rendered(message: Message, zone: tzinfo | None = None) -> str:
    """A message; times are those of `zone`, by default of this machine."""
    time = message.created_at.astimezone(zone).strftime("%Y-%m-%d %H:%M")
    if message.role == "system":
        return f"\n---\n\n*{time} · {_happened(message)}*\n"
    author = "You" if message.role == "user" else message.agent
    ended = message.stop_reason if message.stop_reason not in (None, "end_turn") else message.error
    top = " · ".join(filter(None, (f"**{author}**", time, str(ended).replace("_", " ") if ended else "")))
    return "\n\n".join(("\n---", top, *filter(None, map(_part, message.parts)))) + "\n"


def _happened(message: Message) -> str:
    match message.code:
        case "agent-joined":
            return f"{message.agent} joined"
        case "agent-left":
            return f"{message.agent} left"
        case "no-recipient":
            return "Nobody was addressed"
        case "agent-unavailable":
            return f"{message.agent} was not available: {message.error}"
        case "session-lost":
            return f"{message.agent} could not go on with its session: {message.error}"
        case "notice" | None:
            return f"{message.agent}: {message.error}" if message.agent else message.error


def _part(part: Part) -> str:
    match part:
        case TextPart(text=text):
            return _closed(text.strip("\n"))
        case ThoughtPart(text=text, seconds=seconds):
            took = f" for {seconds:.0f} s" if seconds is not None else ""
            return _folded(f"Thought{took}", [_closed(text).replace("</details", "&lt;/details")])
        case ToolPart():
            return _tool(part)
        case PlanPart(entries=entries):
            return "\n".join(
                f"- [{'x' if entry.status == 'completed' else ' '}] {entry.content}" for entry in entries
            )
        case ImagePart():
            return _image(part)
        case FilePart(path=path):
            return f"*File: {_code(path)}*"


def _tool(tool: ToolPart) -> str:
    ended = f"exit code {tool.exit_code}" if tool.exit_code else tool.signal
    state = ", ".join(filter(None, (tool.status.replace("_", " "), ended)))
    inside = [f"Input:\n\n{_block(tool.input, 'json')}"] if tool.input else []
    inside += [_diff(diff) for diff in tool.diffs]
    inside += [f"Output:\n\n{_block(tool.output)}"] if tool.output else []
    inside += [_image(image) for image in tool.images]
    places = ", ".join(
        place.path + (f":{place.line}" if place.line is not None else "") for place in tool.locations
    )
    return _folded(f"{tool.kind}: {tool.title} ({state})", [places and _code(places), *inside])


def _diff(diff: Diff) -> str:
    head = f"{'New file' if diff.new_file else 'Changed'}: {_code(diff.path)}\n\n"
    if len(diff.old_text) + len(diff.new_text) > DIFF_LIMIT:
        return head + "*Too long to be compared here.*"
    lines = difflib.unified_diff(diff.old_text.splitlines(), diff.new_text.splitlines(), lineterm="")
    return head + _block("\n".join(list(lines)[2:]), "diff")


def _image(image: ImagePart) -> str:
    return f"*Image: {image.name or 'without a name'}, {image.mime_type}, {len(image.data):,} bytes*"


def _folded(summary: str, inside: list[str]) -> str:
    line = html.escape(" ".join(summary.split()), quote=False)
    body = "\n\n".join(filter(None, inside))
    return f"<details><summary>{line}</summary>\n\n{body}\n\n</details>"


def _block(text: str, language: str = "") -> str:
    """A fenced block which the text can't end."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def _code(text: str) -> str:
    """Text in a line that is no Markdown, whatever it holds."""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return ticks + space + " ".join(text.split("\n")) + space + ticks


def _closed(text: str) -> str:
    """A text whose last fenced block is closed: an answer that was cut off would take in all that follows."""
    opened = ""
    for line in text.split("\n"):
        mark = _fence.match(line)
        if mark is None:
            continue
        if not opened:
            opened = "" if mark[1][0] == "`" and "`" in mark[2] else mark[1]
        elif mark[1].startswith(opened) and not mark[2].strip():
            opened = ""
    return f"{text}\n{opened}" if opened else text
