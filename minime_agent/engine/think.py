"""Reasoning that a model writes into its answer between `<think>` and `</think>`.

Some servers have no parser for it. Left in, it is shown as an answer and costs context in every later turn.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Piece: TypeAlias = tuple[Literal["text", "reasoning", "lone_close"], str]

_OPEN, _CLOSE = "<think>", "</think>"


class ThinkFilter:
    """Splits streamed text into answer and reasoning; a tag may come in pieces.

    An opening tag counts at the start of a line alone, a closing tag anywhere but in quotes, so that an
    answer may speak of them. Where the chat template itself opens the tag, only the closing one is seen: the
    piece `lone_close` says that all text before it was reasoning; the next answer is to be read with
    `inside`.
    """

    def __init__(self, inside: bool = False) -> None:
        self._inside = inside
        self._expected = inside
        self._pending = ""
        self._before = ""
        self._opened = False
        self._after_close = False

    def feed(self, text: str) -> list[Piece]:
        """The pieces that are certain by now."""
        self._pending += text
        pieces: list[Piece] = []
        while (found := self._next_tag()) is not None:
            at, tag = found
            self._give(pieces, self._pending[:at])
            self._pending = self._pending[at + len(tag) :]
            if tag == _CLOSE and not self._inside:
                pieces.append(("lone_close", ""))
            self._inside = tag == _OPEN
            self._opened = self._opened or self._inside
            self._before = ""
            if tag == _CLOSE:
                self._expected = False
                self._after_close = True
        held = self._possible_start()
        self._give(pieces, self._pending[: len(self._pending) - held])
        self._pending = self._pending[len(self._pending) - held :]
        return pieces

    def end(self) -> list[Piece]:
        """What was held back in case it became a tag."""
        pieces: list[Piece] = []
        self._give(pieces, self._pending)
        self._pending = ""
        return pieces

    @property
    def never_closed(self) -> bool:
        """Whether reasoning was expected from the start and no tag ever came: it was the answer after all."""
        return self._expected and not self._opened

    def _give(self, pieces: list[Piece], text: str) -> None:
        if self._after_close and not self._inside:
            text = text.lstrip("\n")  # the empty lines below the tag belong to it
        if text:
            self._after_close = False
            pieces.append(("reasoning" if self._inside else "text", text))
            self._before = (self._before + text)[-80:]

    def _next_tag(self) -> tuple[int, str] | None:
        tag = _CLOSE if self._inside else None
        places: list[tuple[int, str]] = []
        for candidate in (tag,) if tag else (_OPEN, _CLOSE):
            at = self._pending.find(candidate)
            while at >= 0 and not self._counts(candidate, at):
                at = self._pending.find(candidate, at + 1)
            if at >= 0:
                places.append((at, candidate))
        return min(places, default=None)

    def _counts(self, tag: str, at: int) -> bool:
        before = self._before + self._pending[:at]
        if tag == _OPEN:
            return not before.rpartition("\n")[2].strip()
        return not before.endswith(("`", '"', "'"))

    def _possible_start(self) -> int:
        """How many characters at the end may be the start of a tag."""
        for length in range(min(len(_CLOSE) - 1, len(self._pending)), 0, -1):
            if any(tag.startswith(self._pending[-length:]) for tag in (_OPEN, _CLOSE)):
                return length
        return 0
