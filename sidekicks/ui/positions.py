"""Places in a text: Qt counts UTF-16 units, Python characters; an emoji is two units, one character."""

from __future__ import annotations


def units(text: str, characters: int) -> int:
    """How many UTF-16 units the first `characters` of a text are."""
    return characters if text.isascii() else len(text[:characters].encode("utf-16-le", "surrogatepass")) // 2


def characters(text: str, units: int) -> int:
    """How many characters the first `units` UTF-16 units of a text are."""
    if text.isascii():
        return units
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))


def folded(text: str) -> str:
    """A text without regard to upper and lower case, as long as it was: `ß` stays one letter."""
    simple = text.casefold()
    if len(simple) == len(text):
        return simple
    return "".join(one if len(one) == 1 else letter for letter in text for one in (letter.casefold(),))
