"""Reasoning that a model writes into its answer between `<think>` and `</think>`, or other tags.

Some servers have no parser for it. Left in, it is shown as an answer and costs context in every later turn.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Piece: TypeAlias = tuple[Literal["text", "reasoning", "lone_close"], str]

_THINK = "<think>"
_CLOSES = {
    _THINK: "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "[THINK]": "[/THINK]",  # Magistral
    "<seed:think>": "</seed:think>",  # Seed-OSS
    "<|channel>thought": "<channel|>",  # Gemma 4
    "<|channel|>analysis<|message|>": "<|end|>",  # gpt-oss
}
"""What closes what opens. Only `<think>` counts after the answer began: the others are also words of XML."""
_LONE = ("</think>", "[/THINK]", "</seed:think>", "<channel|>")
"""What closes what the chat template opened: no answer about XML has one of them."""
_HEADERS = ("<|start|>assistant<|channel|>final<|message|>", "<|channel|>final<|message|>")
"""What gpt-oss writes before the answer proper."""
_AT_START = (*_CLOSES, *_LONE, *_HEADERS)
_LATER = (_THINK, *_LONE)


class ThinkFilter:
    """Splits streamed text into answer and reasoning; a tag may come in pieces.

    `<think>` counts at the start of a line alone, other opening tags at the start of the answer, a closing
    tag anywhere but in quotes, so that an answer may speak of them. Where the chat template itself opens the
    tag, only the closing one is seen: the piece `lone_close` says that all text before it was reasoning; the
    next answer is to be read with `inside`.
    """

    def __init__(self, inside: bool = False) -> None:
        self._closing: tuple[str, ...] = _LONE if inside else ()
        self._expected = inside
        self._pending = ""
        self._before = ""
        self._opened = False
        self._after_close = False
        self._answered = False

    def feed(self, text: str) -> list[Piece]:
        """The pieces that are certain by now."""
        self._pending += text
        pieces: list[Piece] = []
        while (found := self._next_tag()) is not None:
            at, tag = found
            self._give(pieces, self._pending[:at])
            self._pending = self._pending[at + len(tag) :]
            self._pass(tag, pieces)
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

    def _pass(self, tag: str, pieces: list[Piece]) -> None:
        """What a tag changes."""
        self._before = ""
        if tag in _CLOSES:
            self._closing = (_CLOSES[tag],)
            self._opened = True
            return
        if not self._closing and tag not in _HEADERS:
            pieces.append(("lone_close", ""))
            self._answered = False
        self._closing = ()
        self._expected = False
        self._after_close = True

    def _give(self, pieces: list[Piece], text: str) -> None:
        if self._after_close and not self._closing:
            text = text.lstrip("\n")  # the empty lines below the tag belong to it
        if text:
            self._after_close = False
            self._answered = self._answered or (not self._closing and not text.isspace())
            pieces.append(("reasoning" if self._closing else "text", text))
            self._before = (self._before + text)[-80:]

    def _tags(self) -> tuple[str, ...]:
        """The tags that may come next."""
        return self._closing or (_LATER if self._answered else _AT_START)

    def _next_tag(self) -> tuple[int, str] | None:
        """The first tag; where two begin at one place, the longer."""
        places: list[tuple[int, int, str]] = []
        for tag in self._tags():
            at = self._pending.find(tag)
            while at >= 0 and not self._counts(tag, at):
                at = self._pending.find(tag, at + 1)
            if at >= 0:
                places.append((at, -len(tag), tag))
        if not places:
            return None
        at, _, tag = min(places)
        return at, tag

    def _counts(self, tag: str, at: int) -> bool:
        before = self._before + self._pending[:at]
        if tag == _THINK:
            return not before.rpartition("\n")[2].strip()
        if tag in _CLOSES or tag in _HEADERS:
            return not self._pending[:at].strip()
        return not before.endswith(("`", '"', "'"))

    def _possible_start(self) -> int:
        """How many characters at the end may be the start of a tag."""
        tags = self._tags()
        for length in range(min(max(map(len, tags)) - 1, len(self._pending)), 0, -1):
            if any(tag.startswith(self._pending[-length:]) for tag in tags):
                return length
        return 0
