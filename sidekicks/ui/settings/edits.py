"""Changes of the configuration's text that keep everything else as it was typed, comments too. Pure."""

from __future__ import annotations

import re

_SUGGESTION = re.compile(r"did you mean `([^`]+)`")
_WORD = re.compile(r"[A-Za-z0-9_.-]+")


def with_scalar(text: str, key: str, value: str) -> str:
    """The text in which the top-level `key` has this value; a new line at the top when it has none."""
    pattern = re.compile(rf"^({re.escape(key)}:[ \t]*)([^\s#]*)", re.MULTILINE)
    if pattern.search(text):
        return pattern.sub(lambda found: f"{found[1].rstrip()} {value}", text, count=1)
    head = re.match(r"(?:[ \t]*#.*\n|[ \t]*\n|---.*\n)*", text)
    at = head.end() if head is not None else 0
    return f"{text[:at]}{key}: {value}\n{text[at:]}"


def scalar(text: str, key: str) -> str:
    """What the top-level `key` says in the text as it is; empty when it says nothing."""
    found = re.search(rf"^{re.escape(key)}:[ \t]*([^\s#]+)", text, re.MULTILINE)
    return found[1].strip("\"'") if found else ""


def with_agent(text: str, snippet: str) -> tuple[str, int]:
    """The text with another entry of `agents`, and the 0-based line where that begins.

    `snippet` is the entry without indentation: `- name: …`.
    """
    lines = text.split("\n")
    begun = next((n for n, line in enumerate(lines) if re.match(r"agents:", line)), None)
    if begun is None:
        while lines and not lines[-1].strip():
            lines.pop()
        entry = _indented(snippet, 2)
        return "\n".join([*lines, "agents:", *entry, ""]), len(lines) + 1
    rest = lines[begun].removeprefix("agents:").partition("#")[0].strip()
    if rest in ("[]", "null", "~"):
        lines[begun] = "agents:"
    end, indent = _end_of_list(lines, begun)
    lines[end:end] = _indented(snippet, indent)
    return "\n".join(lines), end


def suggestion(message: str) -> str:
    """What a problem's message proposes instead; empty when it proposes nothing."""
    found = _SUGGESTION.search(message)
    return found[1] if found else ""


def replaced_word(text: str, line: int, column: int, word: str) -> str:
    """The text with the word at a place (1-based) replaced."""
    lines = text.split("\n")
    if 1 <= line <= len(lines) and (found := _WORD.match(lines[line - 1], column - 1)):
        old = lines[line - 1]
        lines[line - 1] = old[: found.start()] + word + old[found.end() :]
    return "\n".join(lines)


def _end_of_list(lines: list[str], begun: int) -> tuple[int, int]:
    """Where the list under the line `begun` ends, and how far its entries are indented."""
    indent, end = 2, begun + 1
    seen = False
    for number in range(begun + 1, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        is_comment = line.lstrip().startswith("#")
        if depth == 0 and not line.startswith("-") and not is_comment:
            break
        if not is_comment:
            if not seen and line.lstrip().startswith("-"):
                indent, seen = depth, True
            end = number + 1
    return end, indent


def _indented(snippet: str, indent: int) -> list[str]:
    return [f"{' ' * indent}{line}".rstrip() for line in snippet.rstrip("\n").split("\n")]
