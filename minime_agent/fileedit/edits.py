"""Replacements in one text: every `old` is found in the original, must be unique, and none may overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from minime_agent.fileedit.nearest import nearest_lines

_LISTED = 10


class Edit(msgspec.Struct, frozen=True):
    """Replace `old`, which stands exactly once, with `new`."""

    old: str
    new: str


class EditRefused(Exception):  # noqa: N818 (an outcome that the model reads)
    """An edit that is not applied; the message says why and what to do. Nothing was changed."""


@dataclass(frozen=True)
class Span:
    """Where one edit applies in the text, and what it puts there."""

    start: int
    end: int
    new: str
    number: int


def resolve(text: str, edits: Sequence[Edit]) -> list[Span]:
    """The places of all edits in `text`, in order; raises `EditRefused`."""
    if not edits:
        raise EditRefused("there are no edits")
    spans = sorted((_find(text, edit, number) for number, edit in enumerate(edits, 1)), key=lambda s: s.start)
    for before, after in pairwise(spans):
        if after.start < before.end:
            raise EditRefused(f"edits {before.number} and {after.number} overlap; join them into one edit")
    if all(text[span.start : span.end] == span.new for span in spans):
        raise EditRefused("old and new are the same; nothing would change")
    return spans


def _find(text: str, edit: Edit, number: int) -> Span:
    old, new = edit.old.replace("\r\n", "\n"), edit.new.replace("\r\n", "\n")
    if not old:
        raise EditRefused(f"edit {number}: old is empty; give the text to replace, or use write_file")
    places = _places(text, old)
    if not places:
        raise EditRefused(f"edit {number}: old was not found. {nearest_lines(text, old)}")
    if len(places) > 1:
        lines = ", ".join(str(text.count("\n", 0, at) + 1) for at in places[:_LISTED])
        more = ", …" if len(places) > _LISTED else ""
        raise EditRefused(
            f"edit {number}: old stands {len(places)} times, in lines {lines}{more}. "
            "Add lines before or after it to old (and to new) until it is unique"
        )
    return Span(places[0], places[0] + len(old), new, number)


def _places(text: str, old: str) -> list[int]:
    places: list[int] = []
    at = text.find(old)
    while at >= 0:
        places.append(at)
        at = text.find(old, at + 1)
    return places
