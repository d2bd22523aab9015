"""Which tools a session has, from names, `+name`, `-name` and patterns as people write them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import Final

from minime_agent.config.check import ConfigError, Problem, did_you_mean

BUILT_IN: Final = (
    "bash",
    "edit_file",
    "fetch_content",
    "find",
    "grep",
    "ls",
    "lsp",
    "plan",
    "read_file",
    "read_skill",
    "write_file",
)
_SHORT: Final = {
    "edit": "edit_file",
    "fetch": "fetch_content",
    "read": "read_file",
    "skill": "read_skill",
    "write": "write_file",
}
_ADDED_LATER: Final = "mcp__"
"""Tools of servers: their names are known once the servers have answered."""


def check(words: Sequence[str], place: str) -> None:
    """Raises `ConfigError` for a word that names nothing; `place` is where the words stand."""
    choose(words, (), place=place)


def choose(
    words: Sequence[str], usual: Collection[str], known: Collection[str] = BUILT_IN, *, place: str = ""
) -> set[str]:
    """The names of `known` that `words` choose; they change `usual` when all of them have a sign.

    Raises `ConfigError` as `check` does.
    """
    signed = all(word.strip()[:1] in ("+", "-") for word in words)
    chosen = set(usual) if signed and words else set[str]()
    for word in words:
        wanted = word.strip()
        name = wanted.lstrip("+-")
        found = {tool for tool in known if fnmatchcase(tool, _SHORT.get(name, name))}
        if not found and not name.startswith(_ADDED_LATER):
            near = did_you_mean(name, [*known, *_SHORT])
            sentence = f"there is no tool {name!r}{near}; there are {', '.join(sorted(known))}"
            raise ConfigError(str(Problem(place, "tools", sentence)))
        chosen = chosen - found if wanted.startswith("-") else chosen | found
    return chosen
