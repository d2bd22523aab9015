"""What must not be read in a log: values of an agent's environment, headers, and what looks like a token."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import cast
from urllib.parse import quote

import msgspec

HIDDEN = "[hidden]"
SHORTEST = 6
"""Characters of a value that is hidden; shorter ones are words like `1` or `true`."""
SHORTEST_NAMED = 4
"""The same for one whose name says that it is secret."""

_SECRET_NAME = re.compile(
    r"authorization|api[-_.]?key|token\Z|(?:access|refresh|auth|bearer|session|security)[-_]?token|secret|passw(?:or)?d"
    r"|passphrase|cookie|credential|private[-_]?key|signature|(?:\A|[-_])(?:key|pass|pwd|pat)\Z",
    re.IGNORECASE,
)
_TRIVIAL = re.compile(r"[\d.,:+-]*|[a-z]+|[A-Z]+|[a-z][a-z0-9+.-]*://[\w.:-]+(?:/[\w./-]*)?", re.ASCII)
"""Numbers, words, and addresses without a password or parameters: a reason must be able to name them."""
_LOOKS_SECRET = (
    (re.compile(r"(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}", re.IGNORECASE), rf"\1{HIDDEN}"),
    (re.compile(r"(\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@\"'\\]+@", re.IGNORECASE), rf"\1{HIDDEN}@"),
    (
        re.compile(
            r"([?&#;](?:[\w.-]*(?:token|key|secret|password|signature|credential)|auth|sig|code|pwd)=)[^\s&#\"'\\]+",
            re.IGNORECASE,
        ),
        rf"\1{HIDDEN}",
    ),
    (
        re.compile(r"\b(?:sk|pk|rk|gh[opsur]|github_pat|glpat|xox[abeprs]|hf|AIza|AKIA)[-_]?[\w-]{16,}"),
        HIDDEN,
    ),
)
_WORDS = (
    "auth",
    "key",
    "token",
    "secret",
    "pass",
    "pwd",
    "pat",
    "cookie",
    "credential",
    "signature",
    "\\u",
    "\\/",
)
"""One is in every message whose fields hide a secret by name, or that spells its letters in another way."""
_HINTS = (
    *(
        "://",
        "bearer",
        "basic",
        "token",
        "key",
        "secret",
        "password",
        "signature",
        "credential",
        "auth=",
        "sig=",
    ),
    *(
        "code=",
        "pwd=",
        "sk-",
        "sk_",
        "pk-",
        "pk_",
        "rk-",
        "rk_",
        "hf-",
        "hf_",
        "gho",
        "ghp",
        "ghs",
        "ghu",
        "ghr",
    ),
    *("github_pat", "glpat", "xox", "aiza", "akia"),
)
"""One is in every text in which something looks secret. Looking for words is far faster than the patterns."""


def is_secret_name(name: str) -> bool:
    """Whether a value of this name is secret, whatever it is."""
    return _SECRET_NAME.search(name) is not None


class Masker:
    """Hides secrets in text and in messages. `secrets` are (name, value); a hidden value reads `[name]`."""

    def __init__(self, secrets: Iterable[tuple[str, str]]) -> None:
        self._names: dict[str, str] = {}
        self._surely: dict[str, str] = {}
        for name, value in secrets:
            if _is_worth_hiding(name, value):
                for spelling in _spellings(value):
                    self._names.setdefault(spelling, f"[{name}]")
                    if is_secret_name(name) or _looks_secret(value):
                        self._surely.setdefault(spelling, f"[{name}]")
        longest_first = sorted(self._names, key=len, reverse=True)
        self._surely = {value: self._surely[value] for value in longest_first if value in self._surely}
        self._known = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        if self._known is not None:
            text = self._known.sub(lambda found: self._names[found[0]], text)
        if _has_one(text.lower(), _HINTS):
            for pattern, instead in _LOOKS_SECRET:
                text = pattern.sub(instead, text)
        return text

    def known(self, text: str) -> str:
        """The text without the values that are surely secret, by their name or their form.

        For what a person reads again later: the model's name, or what only looks like a secret, stays in it.
        """
        for value, name in self._surely.items():
            if value in text:
                text = text.replace(value, name)
        return text

    def is_clean(self, line: str) -> bool:
        """Whether a message, as it is on the line, surely has no secret: most are told from that alone."""
        lower = line.lower()
        return (
            not _has_one(lower, _WORDS)
            and (self._known is None or self._known.search(line) is None)
            and not (_has_one(lower, _HINTS) and any(one.search(line) for one, _ in _LOOKS_SECRET))
        )

    def message(self, value: object) -> object:
        """A message of the protocol, decoded, without secrets in its texts, however JSON spelled them."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.message(item) for item in cast("list[object]", value)]
        if isinstance(value, dict):
            return self._fields(cast("dict[str, object]", value))
        return value

    def _fields(self, fields: dict[str, object]) -> dict[str, object]:
        name = fields.get("name")
        is_pair = isinstance(name, str) and isinstance(fields.get("value"), str) and is_secret_name(name)
        return {
            self(key): HIDDEN
            if isinstance(value, str) and value and (is_secret_name(key) or (is_pair and key == "value"))
            else self.message(value)
            for key, value in fields.items()
        }


def secrets_of(
    env: Mapping[str, str], mcp_servers: Iterable[Mapping[str, object]], environment: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The secrets that an agent is given: by its definition, and by name from this program's environment."""
    yield from env.items()
    for server in mcp_servers:
        for key in ("env", "headers"):
            yield from _pairs(server.get(key))
    for name, value in environment.items():
        if is_secret_name(name) and len(value) >= SHORTEST:
            yield name, value


def _has_one(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)


def _pairs(values: object) -> Iterator[tuple[str, str]]:
    """`[{"name": …, "value": …}, …]`."""
    for pair in cast("list[object]", values) if isinstance(values, list | tuple) else ():
        if isinstance(pair, dict):
            fields = cast("dict[str, object]", pair)
            name, value = fields.get("name"), fields.get("value")
            if isinstance(name, str) and isinstance(value, str):
                yield name, value
                scheme, _, rest = value.partition(" ")
                if rest and scheme.isalpha():  # `Bearer …`
                    yield name, rest


def _is_worth_hiding(name: str, value: str) -> bool:
    if is_secret_name(name):
        return len(value) >= SHORTEST_NAMED
    if len(value) < SHORTEST or _TRIVIAL.fullmatch(value):
        return False
    try:
        folder = os.path.dirname(value)  # noqa: PTH120 - any text at all
        return not os.path.exists(value) and not (len(folder) > 1 and os.path.isdir(folder))  # noqa: PTH110, PTH112
    except ValueError:
        return True


def _looks_secret(value: str) -> bool:
    return any(pattern.search(value) for pattern, _ in _LOOKS_SECRET)


def _spellings(value: str) -> set[str]:
    """The value as it may stand in a text: as it is, in JSON (also in JSON in JSON), in a URL."""
    inner = msgspec.json.encode(value.encode("utf-8", "replace").decode()).decode()[1:-1]
    twice = msgspec.json.encode(inner).decode()[1:-1]
    return {value, inner, twice, quote(value, safe=""), quote(value)}
