"""Replacements in one text: every `old` is found in the original, must be unique, and none may overlap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from minime_agent.fileedit.match import Loosened, find
from minime_agent.fileedit.nearest import nearest_lines

_LISTED = 10


class Edit(msgspec.Struct, frozen=True):
    """Replace `old`, which stands exactly once, with `new`."""

    old: str
    new: str


class EditRefused(Exception):  # noqa: N818 (an outcome that the model reads)
    """An edit that is not applied; the message says why and what to do. Nothing was changed."""


class Span(msgspec.Struct, frozen=True):
    """Where one edit applies in the text, what it puts there, and what of `old` was not taken literally."""

    start: int
    end: int
    new: str
    number: int
    loosened: tuple[Loosened, ...] = ()


def resolve(text: str, edits: Sequence[Edit]) -> list[Span]:
    """The places of all edits in `text`, in order; raises `EditRefused`."""
    if not edits:
        raise EditRefused("there are no edits")
    if all(edit.old == edit.new and edit.old for edit in edits):
        raise EditRefused("old and new are identical; nothing would change")
    spans = sorted((_find(text, edit, number) for number, edit in enumerate(edits, 1)), key=lambda s: s.start)
    for before, after in pairwise(spans):
        if after.start < before.end:
            raise EditRefused(f"edits {before.number} and {after.number} overlap; join them into one edit")
    if all(text[span.start : span.end] == span.new for span in spans):
        raise EditRefused("old and new are identical; nothing would change")
    return spans


def told(spans: Sequence[Span]) -> str:
    """What was not taken literally, for the model to copy better next time; empty when all was."""
    counts = {
        "whitespace": "matched ignoring whitespace",
        "quotes": "matched with other quotes, dashes or blanks",
        "line numbers": "matched without the line numbers that old began with",
    }
    said = [
        f"{sum(kind in span.loosened for span in spans)} {words}"
        for kind, words in counts.items()
        if any(kind in span.loosened for span in spans)
    ]
    return ", ".join(said)


def _find(text: str, edit: Edit, number: int) -> Span:
    old, new = edit.old.replace("\r\n", "\n"), edit.new.replace("\r\n", "\n")
    if not old:
        raise EditRefused(
            f"edit {number}: old is empty; to insert, give a line next to the place as old, and it together "
            "with yours as new; or use write_file"
        )
    found = find(text, old, new)
    if not found.places:
        raise EditRefused(f"edit {number}: old was not found. {nearest_lines(text, old)}")
    if len(found.places) > 1:
        raise EditRefused(f"edit {number}: {_too_many(text, old, [p.start for p in found.places])}")
    [place] = found.places
    return Span(place.start, place.end, place.new, number, found.loosened)


def _too_many(text: str, old: str, first_two: Sequence[int]) -> str:
    count = text.count(old)
    if count < len(first_two):
        places, times = list(first_two), "more than once"
    else:
        places, times = _places(text, old), f"{count} times"
    lines = ", ".join(str(text.count("\n", 0, at) + 1) for at in places)
    more = ", …" if count > len(places) else ""
    return (
        f"old stands {times}, in lines {lines}{more}. "
        "Add lines before or after it to old (and to new) until it is unique"
    )


def _places(text: str, old: str) -> list[int]:
    places: list[int] = []
    at = text.find(old)
    while at >= 0 and len(places) < _LISTED:
        places.append(at)
        at = text.find(old, at + 1)
    return places
