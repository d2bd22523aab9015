"""Which of many names are meant by a few letters: pure."""

from __future__ import annotations


def score(typed: str, name: str) -> int | None:
    """How well `typed` names `name`: the letters come in their order; None where they do not.

    Beginnings of words and letters in a row count more; 0 is the best for an empty `typed`.
    """
    wanted, text = typed.casefold(), name.casefold()
    if not wanted:
        return 0
    if (at := text.find(wanted)) >= 0:
        starts = at == 0 or not text[at - 1].isalnum()
        return 1_000 + (500 if at == 0 else 250 if starts else 0) - len(text)
    points, place, last = 0, 0, -2
    for letter in wanted:
        if letter == " ":
            continue
        place = text.find(letter, place)
        if place < 0:
            return None
        points += 10 if place == last + 1 else 5 if place == 0 or not text[place - 1].isalnum() else 1
        last, place = place, place + 1
    return points - len(text) // 4
