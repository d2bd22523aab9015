"""The lines of a file that come nearest to a text that is not in it, with their numbers.

Told only "not found", a model types the same text again; shown the right lines, it copies them. The work is
bounded, however large the file or the text: a few lines of the text are looked for, and each by a few words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate, islice

_SHOWN = 12
_WIDEST = 240
"""Characters of a line that are compared and shown."""
_COMPARED = 3_000
"""Lines that are compared one by one; in a larger file only those that share a rare word."""
_COMMON = 100
"""A line or word that stands more often (a brace) says nothing about the place."""
_TRIED = 8
_WORDS = 6
_LEAST_BEGINNING = 16
_WORD = re.compile(r"\w{2,}")


def nearest_lines(text: str, old: str) -> str:
    """One paragraph for the model: the nearest lines, or what to do when there are none."""
    lines = text.split("\n")
    wanted = [line.strip() for line in old.strip("\n").split("\n")]
    start = _by_vote(lines, wanted)
    if start is None:
        start = _by_likeness(text, lines, wanted)
    if start is None:
        return _by_beginning(text, old.strip()) or (
            "Nothing in the file comes near it; read the file and copy the text exactly"
        )
    first = start + _first_telling(lines[start : start + len(wanted)], wanted)
    end = min(len(lines), start + max(len(wanted), 1), first + _SHOWN)
    shown = "\n".join(f"{number + 1}\t{_cut(lines[number])}" for number in range(first, end))
    return f"The nearest lines (number, tab, text); copy these into old, without the numbers:\n{shown}"


def _by_vote(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where at least half of the wanted lines (the common ones aside) stand in their order, edges ignored."""
    where: defaultdict[str, list[int]] = defaultdict(list)
    keys = set(wanted)
    for number, line in enumerate(lines):
        if (key := line.strip()) in keys:
            where[key].append(number)
    votes: Counter[int] = Counter()
    telling = 0
    for offset, line in enumerate(wanted):
        if line and len(places := where.get(line, ())) <= _COMMON:
            telling += 1
            votes.update(number - offset for number in places if number >= offset)
    if not votes:
        return None
    start, count = votes.most_common(1)[0]
    return start if count * 2 >= telling else None


def _first_telling(there: Sequence[str], wanted: Sequence[str]) -> int:
    """The offset to show from: a long text that first differs far down is shown where it differs."""
    pairs = zip(there, wanted, strict=False)
    differs = next((at for at, (line, want) in enumerate(pairs) if line.strip() != want), 0)
    return 0 if differs < _SHOWN - 2 else differs - 2


def _by_likeness(text: str, lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where the first of the telling wanted lines that looks like a line of the file would put the text."""
    from difflib import get_close_matches

    telling = sorted(enumerate(wanted), key=lambda row: len(row[1]), reverse=True)[:_TRIED]
    starts = [0, *accumulate(len(line) + 1 for line in lines)] if len(lines) > _COMPARED else []
    lowered, words = text.lower() if starts else "", dict[str, list[int]]()
    for offset, line in sorted(telling):
        numbers: Iterable[int] = range(len(lines))
        if starts:
            numbers = sorted({bisect_right(starts, at) - 1 for at in _of_rare_words(lowered, line, words)})
        candidates = {lines[number].strip()[:_WIDEST]: number for number in numbers if number < len(lines)}
        if line and (near := get_close_matches(line[:_WIDEST], candidates, n=1, cutoff=0.6)):
            return max(0, candidates[near[0]] - offset)
    return None


def _of_rare_words(lowered: str, line: str, known: dict[str, list[int]]) -> set[int]:
    """Offsets of the line's words in the text, but of those that stand everywhere; adds to the `known`."""
    words = sorted(set(_WORD.findall(line[:_WIDEST].lower())), key=len, reverse=True)[:_WORDS]
    for word in words:
        if word not in known:
            matches = re.finditer(re.escape(word), lowered)
            known[word] = [match.start() for match in islice(matches, _COMMON + 1)]
    return {at for word in words if len(known[word]) <= _COMMON for at in known[word]}


def _by_beginning(text: str, old: str) -> str:
    """Where a text goes on otherwise than `old` does, which is all there is to say of one very long line."""
    known, unknown = 0, len(old)
    while known + 1 < unknown:
        middle = (known + unknown) // 2
        known, unknown = (middle, unknown) if old[:middle] in text else (known, middle)
    if known < _LEAST_BEGINNING:
        return ""
    at = text.index(old[:known])
    there = text[max(0, at + known - _WIDEST // 2) : at + known + _WIDEST // 2]
    line = text.count("\n", 0, at) + 1
    return f"Its first {known} characters stand in line {line}; there the text is: …{there}…"


def _cut(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[:_WIDEST]}… ({len(line) - _WIDEST} characters more)"
