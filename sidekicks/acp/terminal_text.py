"""What a terminal shows of what a program writes: no colours, and of progress bars the last state.

The last rows can still be written over; what was before them is settled. So memory and the cost of a piece of
output do not depend on how much was written before.
"""

from __future__ import annotations

import re
from typing import Protocol

ROWS = 24
"""Last rows that a program can still change."""
COLUMNS = 4_096
"""A row that is longer can't be changed any more up to here."""

_HELD = 4_096
"""Characters of an escape sequence whose end is still to come; a longer one is none."""
_TOKEN = re.compile(
    r"\x1b\[(?P<given>[0-?]*)[ -/]*(?P<does>[@-~])"  # CSI: colours, moving, erasing
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # a title, a link, another string
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"  # short ones
    r"|(?P<control>[\x00-\x08\x0b-\x1f\x7f])"
)
_BEGUN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)\Z")


class Kept(Protocol):
    """Where settled text goes."""

    def add(self, text: str) -> None:
        """Adds `text` at the end."""
        ...


class TerminalText:
    """A terminal without a screen: takes text with escape sequences, in any pieces."""

    def __init__(self, *kept: Kept) -> None:
        self._kept = kept
        self._rows = [""]
        self._row = 0
        self._column = 0
        self._held = ""

    @property
    def open(self) -> str:
        """The last rows, which may still change; they come after what is settled."""
        return "\n".join(self._rows)

    def feed(self, text: str) -> None:
        """Takes what a program wrote."""
        text = self._held + text
        self._held = ""
        if "\x1b" in text and (begun := _BEGUN.search(text)) is not None:
            if len(begun[0]) <= _HELD:
                self._held = begun[0]
            text = text[: begun.start()]
        position = 0
        for token in _TOKEN.finditer(text):
            if token.start() > position:
                self._write(text[position : token.start()])
            position = token.end()
            if (control := token["control"]) is not None:
                self._control(control)
            elif (does := token["does"]) is not None:
                self._obey(does, token["given"])
        if position < len(text):
            self._write(text[position:])

    # -- writing -------------------------------------------------------------------------------------

    def _write(self, text: str) -> None:
        is_at_end = self._row == len(self._rows) - 1 and self._column == len(self._rows[-1])
        if is_at_end:
            self._append(text)
            return
        first, *others = text.split("\n", 1)
        self._write_over(first)
        if others:
            self._next_row()
            if others[0]:
                self._write(others[0])

    def _append(self, text: str) -> None:
        """The usual case, at the speed of `str`."""
        self._rows = (self.open + text).rsplit("\n", ROWS - 1)
        if len(self._rows) == ROWS and "\n" in self._rows[0]:
            settled, _, self._rows[0] = self._rows[0].rpartition("\n")
            self._settle(settled + "\n")
        self._row = len(self._rows) - 1
        self._column = len(self._rows[-1])
        self._bound()

    def _write_over(self, text: str) -> None:
        row = self._rows[self._row].ljust(self._column)
        end = self._column + len(text)
        self._rows[self._row] = row[: self._column] + text + row[end:]
        self._column = end
        self._bound()

    def _next_row(self) -> None:
        self._row += 1
        self._column = 0
        if self._row == len(self._rows):
            self._rows.append("")
            if len(self._rows) > ROWS:
                self._settle(self._rows.pop(0) + "\n")
                self._row -= 1

    def _bound(self) -> None:
        """A row without end settles with all before it."""
        if len(self._rows[self._row]) > COLUMNS:
            rows = self._rows[: self._row + 1]
            self._settle("\n".join(rows))
            self._rows = ["", *self._rows[self._row + 1 :]]
            self._row = self._column = 0

    def _settle(self, text: str) -> None:
        for kept in self._kept:
            kept.add(text)

    # -- moving --------------------------------------------------------------------------------------

    def _control(self, control: str) -> None:
        if control == "\r":
            self._column = 0
        elif control == "\b":
            self._column = max(0, self._column - 1)

    def _obey(self, does: str, given: str) -> None:
        number = int(given) if given.isascii() and given.isdigit() and len(given) < 6 else 0
        steps = max(1, number)
        match does:
            case "A" | "F":
                self._row = max(0, self._row - steps)
            case "B" | "E":
                self._row = min(len(self._rows) - 1, self._row + steps)
            case "C":
                self._column = min(COLUMNS, self._column + steps)
            case "D":
                self._column = max(0, self._column - steps)
            case "G":
                self._column = min(COLUMNS, steps - 1)
            case "K":
                self._erase_row(number)
            case "J":
                self._erase_below(number)
            case _:
                return
        if does in "EF":
            self._column = 0

    def _erase_row(self, which: int) -> None:
        row, column = self._rows[self._row], self._column
        match which:
            case 0:
                self._rows[self._row] = row[:column]
            case 1:
                self._rows[self._row] = (" " * (column + 1) + row[column + 1 :])[: len(row)]
            case _:
                self._rows[self._row] = ""

    def _erase_below(self, which: int) -> None:
        if which == 0:
            self._erase_row(0)
            del self._rows[self._row + 1 :]
        elif which == 2:  # a screen that is cleared: what was on it stays readable above
            self._settle("".join(f"{row}\n" for row in self._rows if row))
            self._rows = [""]
            self._row = self._column = 0


def plain(text: str) -> str:
    """A whole text as a terminal would show it."""
    if "\x1b" not in text:
        return text
    kept = _Whole()
    shown = TerminalText(kept)
    shown.feed(text)
    return "".join(kept.pieces) + shown.open


class _Whole:
    def __init__(self) -> None:
        self.pieces: list[str] = []

    def add(self, text: str) -> None:
        self.pieces.append(text)
