"""What the conversation says in its own words, apart from its widgets."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDate, QLocale

from sidekicks.models import (
    Message,
    PermissionKind,
    PermissionOption,
    PermissionRequest,
    ToolKind,
    ToolPart,
)
from sidekicks.ui.reveal import reveal


def tool_word(kind: ToolKind) -> str:
    """One word for what a tool call does."""
    translate = QCoreApplication.translate
    words: dict[ToolKind, str] = {
        "read": translate("ToolKind", "read"),
        "edit": translate("ToolKind", "edit"),
        "delete": translate("ToolKind", "delete"),
        "move": translate("ToolKind", "move"),
        "search": translate("ToolKind", "search"),
        "execute": translate("ToolKind", "run"),
        "think": translate("ToolKind", "think"),
        "fetch": translate("ToolKind", "fetch"),
        "switch_mode": translate("ToolKind", "mode"),
        "other": translate("ToolKind", "tool"),
    }
    return words[kind]


def tool_status(tool: ToolPart) -> str:
    """How a tool call stands, in words."""
    translate = QCoreApplication.translate
    match tool.status:
        case "pending":
            return translate("ToolStatus", "waiting")
        case "in_progress":
            return translate("ToolStatus", "running")
        case "completed":
            return translate("ToolStatus", "done")
        case "failed":
            if tool.exit_code is None:
                return translate("ToolStatus", "failed")
            return translate("ToolStatus", "failed with exit code {code}").format(code=tool.exit_code)


def wants(request: PermissionRequest, agent: str) -> str:
    """The question of a permission card."""
    translate = QCoreApplication.translate
    sentences: dict[ToolKind, str] = {
        "read": translate("PermissionCard", "{agent} wants to read {what}"),
        "edit": translate("PermissionCard", "{agent} wants to edit {what}"),
        "delete": translate("PermissionCard", "{agent} wants to delete {what}"),
        "move": translate("PermissionCard", "{agent} wants to move {what}"),
        "search": translate("PermissionCard", "{agent} wants to search {what}"),
        "execute": translate("PermissionCard", "{agent} wants to run a command"),
        "think": translate("PermissionCard", "{agent} wants to think: {what}"),
        "fetch": translate("PermissionCard", "{agent} wants to fetch {what}"),
        "switch_mode": translate("PermissionCard", "{agent} wants to change its mode: {what}"),
        "other": translate("PermissionCard", "{agent} wants to use {what}"),
    }
    return sentences[request.tool_call.kind].format(agent=agent, what=subject(request.tool_call))


def subject(tool: ToolPart) -> str:
    """What a tool call is about: its file where it has just one, else its title."""
    paths = list(dict.fromkeys([d.path for d in tool.diffs] or [place.path for place in tool.locations]))
    return reveal(paths[0] if len(paths) == 1 else tool.title or tool.kind)


def option_word(kind: PermissionKind) -> str:
    """What a button of a permission card does."""
    translate = QCoreApplication.translate
    words: dict[PermissionKind, str] = {
        "allow_once": translate("PermissionCard", "Allow once"),
        "allow_always": translate("PermissionCard", "Always allow"),
        "reject_once": translate("PermissionCard", "Reject"),
        "reject_always": translate("PermissionCard", "Always reject"),
    }
    return words[kind]


def remembered_word(kind: PermissionKind, tool: ToolKind) -> str:
    """What a button does whose answer counts for every later call of this kind of tool."""
    translate = QCoreApplication.translate
    things: dict[ToolKind, str] = {
        "read": translate("Remembered", "reading"),
        "edit": translate("Remembered", "edits"),
        "delete": translate("Remembered", "deleting"),
        "move": translate("Remembered", "moving"),
        "search": translate("Remembered", "searches"),
        "execute": translate("Remembered", "commands"),
        "think": translate("Remembered", "thinking"),
        "fetch": translate("Remembered", "fetching"),
        "switch_mode": translate("Remembered", "changes of mode"),
        "other": translate("Remembered", "other tools"),
    }
    sentence = (
        translate("Remembered", "Always allow {tools}")
        if kind == "allow_always"
        else translate("Remembered", "Always reject {tools}")
    )
    return sentence.format(tools=things[tool])


def what_is_remembered(option: PermissionOption, agent: str) -> str:
    """Who remembers an `always`, and where it is taken back; empty for an answer that counts once."""
    translate = QCoreApplication.translate
    if not option.kind.endswith("always"):
        return ""
    if option.remembered:
        return translate(
            "Remembered", "Counts for {agent} in every conversation, until it is revoked in Settings."
        ).format(agent=agent)
    return translate("Remembered", "{agent} remembers this itself, for as long as it says.").format(
        agent=agent
    )


def ending(message: Message, agent: str) -> str:
    """How an answer ended, in one sentence; empty when it simply ended."""
    translate = QCoreApplication.translate
    if message.error == "cancelled":
        return translate("Ending", "Dropped by Stop before it was sent.")
    if message.error:
        return translate("Ending", "{agent} could not finish: {error}").format(
            agent=agent, error=reveal(message.error.strip())
        )
    match message.stop_reason:
        case "cancelled":
            return translate("Ending", "Stopped.")
        case "max_tokens":
            return translate("Ending", "The answer reached the model's limit and was cut off.")
        case "max_turn_requests":
            return translate("Ending", "{agent} stopped after the most steps one turn may take.").format(
                agent=agent
            )
        case "refusal":
            return translate("Ending", "{agent} refused to answer this.").format(agent=agent)
        case "end_turn" | None:
            return ""


def unanswered() -> str:
    """What stands below a message that nobody answers any more."""
    return QCoreApplication.translate("Ending", "This message was not answered.")


def happened(message: Message, agent: str) -> str:
    """What a system message tells, in one sentence."""
    translate = QCoreApplication.translate
    match message.code:
        case "agent-joined":
            return translate("System", "{agent} joined").format(agent=agent)
        case "agent-left":
            return translate("System", "{agent} left").format(agent=agent)
        case "no-recipient":
            return translate("System", "Nobody was addressed. Mention an agent with @ to get an answer.")
        case "agent-unavailable":
            if not message.error:
                return translate("System", "{agent} is not available").format(agent=agent)
            return translate("System", "{agent} is not available: {error}").format(
                agent=agent, error=reveal(message.error.strip())
            )
        case "session-lost":
            return translate(
                "System", "{agent} could not go on with its session and was given the last messages: {error}"
            ).format(agent=agent, error=reveal(message.error.strip()))
        case "notice":
            return f"{agent}: {reveal(message.error.strip())}"
        case None:
            return reveal(message.error)


def day_name(day: QDate) -> str:
    """A day as the separator above its messages names it; the year is only said of another one."""
    if day.year() != QDate.currentDate().year():
        return full_date(day)
    return QLocale().toString(day, QCoreApplication.translate("Day", "dddd d MMMM"))


def full_date(day: QDate) -> str:
    """A day with its year."""
    return QLocale().toString(day, QCoreApplication.translate("Day", "dddd d MMMM yyyy"))


def duration(seconds: float) -> str:
    """How long something took: "0.4 s", "12 s", "3 min 5 s"; nothing takes less than "0.1 s"."""
    translate = QCoreApplication.translate
    if seconds < 0.95:
        tenths = QLocale().toString(max(seconds, 0.1), "f", 1)
        return translate("Duration", "{seconds} s").format(seconds=tenths)
    whole = round(seconds)
    if whole < 60:
        return translate("Duration", "{seconds} s").format(seconds=whole)
    return translate("Duration", "{minutes} min {seconds} s").format(minutes=whole // 60, seconds=whole % 60)
