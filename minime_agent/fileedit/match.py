"""Where in a text an `old` stands: exactly, or as a model is apt to have written it.

Each pass is looser than the one before; the first that finds anything counts, and what it finds must be
unique all the same. Never loosened: case, what stands in the middle, escapes that were typed as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Literal, TypeAlias

import msgspec

from minime_agent.fileedit.indent import reindented
from minime_agent.fileedit.loosen import plain, without_any_numbers, without_numbers

_NOTHING_MORE = re.compile(r"[ \t]*(?:\n|\Z)")
Loosened: TypeAlias = Literal["whitespace", "quotes", "line numbers"]


class Place(msgspec.Struct, frozen=True):
    """One place: the characters from `start` to `end` of the text, and what is to be put there."""

    start: int
    end: int
    new: str


class Found(msgspec.Struct, frozen=True):
    """All places of one pass (two are enough to be too many), and what it did not take literally."""

    places: list[Place]
    loosened: tuple[Loosened, ...] = ()


def find(text: str, old: str, new: str) -> Found:
    """The places of `old`, with `new` as it is to stand there; none where no pass finds any."""
    found = _passes(text, text, old, new)
    if not found.places and (bare := without_numbers(old)) is not None:
        found = _passes(text, text, bare, without_any_numbers(new))
        found = Found(found.places, (*found.loosened, "line numbers"))
    return found


def _passes(text: str, shown: str, old: str, new: str) -> Found:
    if places := _exact(text, old, new):
        return Found(places)
    if places := _without_edges(text, old, new) or _by_lines(text, shown, old, new):
        return Found(places, ("whitespace",))
    simple, simple_old = plain(text), plain(old)
    if (simple, simple_old) != (text, old):
        if places := _exact(simple, simple_old, new):
            return Found([_sparing(place, shown, old) for place in places], ("quotes",))
        if places := _without_edges(simple, simple_old, new) or _by_lines(simple, shown, simple_old, new):
            return Found(places, ("quotes", "whitespace"))
    return Found([])


def _exact(text: str, old: str, new: str) -> list[Place]:
    places: list[Place] = []
    at = text.find(old) if old else -1
    while at >= 0 and len(places) < 2:
        places.append(Place(at, at + len(old), new))
        at = text.find(old, at + 1)
    return places


def _without_edges(text: str, old: str, new: str) -> list[Place]:
    """Empty lines around `old`, and the end of its last line, do not count: it is whole lines there."""
    head, body, tail = _edges(old)
    if not body or not (head or tail):
        return []
    places: list[Place] = []
    inner = _trimmed(new, head=bool(head), tail=bool(tail))
    at = text.find(body)
    while at >= 0 and len(places) < 2:
        end = at + len(body)
        begins = not head or at == 0 or text[at - 1] == "\n"
        if begins and (not tail or _NOTHING_MORE.match(text, end)):
            places.append(Place(at, end, inner))
        at = text.find(body, at + 1)
    return places


def _edges(old: str) -> tuple[str, str, str]:
    """Empty lines, what is between them, and empty lines with the blanks before."""
    lines = old.split("\n")
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    body = "\n".join(lines[first:last])
    bare = body.rstrip(" \t")
    head = "\n".join(lines[:first]) + ("\n" if first else "")
    return head, bare, body[len(bare) :] + ("\n" if last < len(lines) else "")


def _trimmed(new: str, *, head: bool, tail: bool) -> str:
    if head:
        lines = new.split("\n")
        while len(lines) > 1 and not lines[0].strip():
            lines.pop(0)
        new = "\n".join(lines)
    return new.rstrip(" \t\n") if tail else new


def _by_lines(text: str, shown: str, old: str, new: str) -> list[Place]:
    """Whole lines that are the same but for the blanks at their beginnings and ends."""
    keys = [line.strip() for line in _lines(old)]
    if not any(keys):
        return []
    # One search for all of the lines: `str.find` stays linear where comparing line by line would not.
    stripped = "\n".join(["", *(line.strip() for line in text.split("\n")), ""])
    needle = "\n".join(["", *keys, ""])
    original = shown.split("\n")
    places: list[Place] = []
    at = stripped.find(needle)
    while at >= 0 and len(places) < 2:
        places.append(_place(original, stripped.count("\n", 0, at), old, new))
        at = stripped.find(needle, at + 1)
    return places


def _place(lines: Sequence[str], first: int, old: str, new: str) -> Place:
    wanted = _lines(old)
    there = lines[first : first + len(wanted)]
    mine = _as_bare_as(new, old) if new else []
    head, tail = _unchanged(wanted, mine)
    changed = reindented(mine[head : len(mine) - tail], wanted, there, lines, slice(head, len(wanted) - tail))
    stays = [line.rstrip(" \t") for line in there]
    fitting = [*stays[:head], *changed, *stays[len(stays) - tail :]]
    start = sum(len(line) + 1 for line in lines[:first])
    end = start + sum(len(line) + 1 for line in there) - 1
    if not fitting and end < sum(len(line) + 1 for line in lines) - 1:
        end += 1  # lines that go take their end with them
    return Place(start, end, "\n".join(fitting))


def _as_bare_as(new: str, old: str) -> list[str]:
    """The lines of `new` without empty ones on the sides where `old` has lost its own."""
    head, _, tail = _edges(old)
    lines = new.split("\n")
    while head and len(lines) > 1 and not lines[0].strip():
        lines.pop(0)
    while tail and len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return lines


def _sparing(place: Place, shown: str, old: str) -> Place:
    """The same place, where the lines that the edit leaves as they were keep the file's own characters."""
    mine, there = place.new.split("\n"), shown[place.start : place.end].split("\n")
    head, tail = _unchanged(old.split("\n"), mine)
    kept = [*there[:head], *mine[head : len(mine) - tail], *there[len(there) - tail :]]
    return Place(place.start, place.end, "\n".join(kept))


def _unchanged(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines at the beginning, and how many of the rest at the end, are the same in both."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    head = sum(1 for _ in same)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(old[head:][::-1], new[head:][::-1], strict=False))
    return head, sum(1 for _ in same)


def _lines(text: str) -> list[str]:
    """The lines without empty ones around them."""
    lines = text.split("\n")
    while len(lines) > 1 and not lines[0].strip():
        lines.pop(0)
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return lines
