"""Where a text mentions an agent: `@name`, as a person reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

_FENCE = re.compile(r"^[ \t>]*(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)$", re.MULTILINE)
_BACKTICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[!-~]+")
_MENTION = re.compile(r"@([A-Za-z0-9][A-Za-z0-9_-]*)")
_LOCAL_PART = re.compile(r"[0-9A-Za-z][_%+-]+\Z")


class Mention(msgspec.Struct, frozen=True):
    """`text[start:end]` mentions the agent `name`, which is spelled as in the configuration."""

    name: str
    start: int
    end: int


def find_mentions(text: str, agents: Iterable[str]) -> tuple[Mention, ...]:
    """The mentions of `agents` in `text`, in order, an agent as often as it is mentioned.

    Not inside code, links, paths and e-mail addresses, not after a backslash; case does not matter.
    """
    if "@" not in text:
        return ()
    names = {name.casefold(): name for name in agents}
    return tuple(_mentions(text, without_code(text), names))


def without_code(text: str) -> str:
    """`text` with code and links blanked out by spaces, character for character."""
    characters = list(text)
    for start, end in _hidden(text):
        characters[start:end] = " " * (end - start)
    return "".join(characters)


def _mentions(text: str, readable: str, names: dict[str, str]) -> Iterator[Mention]:
    for match in _MENTION.finditer(readable):
        start = match.start()
        if not _may_begin(readable, start):
            continue
        token = match[1]
        # "_@ada_" and "@ada- look": the name may be followed by what a name may also contain.
        name = names.get(token.casefold())
        if name is None:
            token = token.rstrip("-_")
            name = names.get(token.casefold())
        end = start + 1 + len(token)
        if name is not None and _may_end(text, end):
            yield Mention(name, start, end)


def _may_begin(text: str, at: int) -> bool:
    """Whether what stands before the `@` lets it begin a mention."""
    if at == 0:
        return True
    before = text[at - 1]
    if before in "@/\\" or _continues_word(before):
        return False
    return before not in "_%+-" or _LOCAL_PART.search(text, max(0, at - 64), at) is None


def _may_end(text: str, at: int) -> bool:
    """Whether what stands behind the name lets it end there: not `@scope/name`, `@file.py`, `@user@host`."""
    after = text[at : at + 1]
    if after in ("/", "@") or (after and _continues_word(after)):
        return False
    return after not in (".", "\\") or not _continues_word(text[at + 1 : at + 2] or " ")


def _continues_word(character: str) -> bool:
    """Whether a letter or digit belongs to the word beside it: so it is in scripts that part words by spaces.

    Those from Thai (U+0E00) on write without spaces, or, as Korean, glue particles to a name; but Latin
    and Greek with accents have a block among them.
    """
    code = ord(character)
    return character.isalnum() and (code < 0x0E00 or 0x1E00 <= code < 0x2000)


def _hidden(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of fenced blocks, code spans and links."""
    position = 0
    for start, end in _fenced_blocks(text):
        yield from _hidden_inline(text, position, start)
        yield start, end
        position = end
    yield from _hidden_inline(text, position, len(text))


def _fenced_blocks(text: str) -> Iterator[tuple[int, int]]:
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        marks = fence[1] or fence[2]
        if opened is None:
            opened = fence
        elif marks.startswith(opened[1] or opened[2]) and fence[0].strip(" \t>") == marks:
            yield opened.start(), fence.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text)


def _hidden_inline(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _URL.finditer(text, start, end):
        yield match.span()
    position = start
    for blank in _BLANK_LINE.finditer(text, start, end):
        yield from _code_spans(text, position, blank.start())
        position = blank.end()
    yield from _code_spans(text, position, end)


def _code_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Code spans of one paragraph: a run of backticks closes the nearest earlier run of the same length."""
    runs = [match.span() for match in _BACKTICKS.finditer(text, start, end)]
    later: dict[int, list[int]] = {}  # length -> starts of the runs that long, the last one first
    for first, last in reversed(runs):
        later.setdefault(last - first, []).append(first)
    done = start
    for first, last in runs:
        escaped = first > 0 and text[first - 1] == "\\"
        begin = first + 1 if escaped else first
        closers = later.get(last - begin, [])
        while closers and closers[-1] < last:
            closers.pop()
        if first >= done and closers:
            done = closers[-1] + last - begin
            yield begin, done
