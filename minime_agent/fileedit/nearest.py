"""The lines of a file that come nearest to a text that is not in it, with their numbers.

Told only "not found", a model types the same text again; shown the right lines, it copies them.
"""

from __future__ import annotations

from collections import Counter, defaultdict

_SHOWN = 12
_COMPARED = 3_000
_COMMON = 100
"""A line that stands more often (a brace) says nothing about the place."""


def nearest_lines(text: str, old: str) -> str:
    """One paragraph for the model: the nearest lines, or what to do when there are none."""
    lines = text.split("\n")
    wanted = [line.strip() for line in old.strip("\n").split("\n")]
    start = _by_vote(lines, wanted)
    if start is None:
        start = _by_likeness(lines, wanted)
    if start is None:
        return "Nothing in the file comes near it; read the file and copy the text exactly"
    end = min(len(lines), start + min(max(len(wanted), 1), _SHOWN))
    shown = "\n".join(f"{number + 1}\t{lines[number]}" for number in range(start, end))
    return f"The nearest lines (number, tab, text); copy these into old, without the numbers:\n{shown}"


def _by_vote(lines: list[str], wanted: list[str]) -> int | None:
    """Where at least half of the wanted lines stand in their order, edges ignored."""
    where: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        where[line.strip()].append(number)
    votes: Counter[int] = Counter()
    for offset, line in enumerate(wanted):
        if line and len(places := where.get(line, ())) <= _COMMON:
            votes.update(number - offset for number in places if number >= offset)
    if not votes:
        return None
    start, count = votes.most_common(1)[0]
    return start if count * 2 >= sum(1 for line in wanted if line) else None


def _by_likeness(lines: list[str], wanted: list[str]) -> int | None:
    """Where the first wanted line that looks like a line of the file would put the text."""
    if len(lines) > _COMPARED:
        return None
    from difflib import get_close_matches

    stripped = [line.strip() for line in lines]
    for offset, line in enumerate(wanted):
        if line and (near := get_close_matches(line, stripped, n=1, cutoff=0.6)):
            return max(0, stripped.index(near[0]) - offset)
    return None
