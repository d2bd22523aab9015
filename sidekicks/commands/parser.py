"""A parser of arguments that says what may have been meant."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import NoReturn

_UNKNOWN = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")
_OPTION = re.compile(r"(?<![\w-])--[a-z-]+")


class Parser(argparse.ArgumentParser):
    """Answers a word that it does not know with the nearest one that it does. Wrong usage is exit code 2.

    `parser` among its defaults must be itself: so what is left over is told with the usage of the command
    that was meant, not with that of the whole program. `rest` among them names the list that takes words
    which stand behind an option: argparse itself ends a list there.
    """

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options of `arguments`; ends the program when they are wrong."""
        options, extra = self.parse_known_args(arguments)
        meant: Parser = options.parser
        at = extra.index("--") if "--" in extra else len(extra)
        if extra:
            before = extra[:at]
            if unknown := [word for word in before if word.startswith("-") and word != "-"]:
                meant.refuse_extra(unknown)
            rest: str = getattr(options, "rest", "")
            if not rest:
                meant.refuse_extra(extra)
            getattr(options, rest).extend([*before, *extra[at + 1 :]])
        return options

    def refuse_extra(self, words: Sequence[str]) -> NoReturn:
        """Ends the program because of words that nothing takes."""
        word = words[0].partition("=")[0]
        guess = did_you_mean(word, _OPTION.findall(self.format_help())) if word.startswith("-") else ""
        self.error(f"not understood: {' '.join(words)}{guess}")

    def error(self, message: str) -> NoReturn:
        """Ends the program with the usage and what is wrong."""
        if unknown := _UNKNOWN.search(message):
            word, known = unknown.groups()
            guess = did_you_mean(word, re.findall(r"[\w-]+", known)) or f", choose from {known}"
            message = f"{message[: unknown.start()]}there is no `{word}`{guess}"
        super().error(message)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`: did you mean …?` when one of `known` looks like `word`, else nothing."""
    import difflib

    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f": did you mean `{found[0]}`?" if found else ""
