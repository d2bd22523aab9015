"""One skill: a file with a head that says when it is of use, and a text that says what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from minime_agent.frontmatter import FrontmatterError, split

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MOST_NAME, _MOST_DESCRIPTION, _MOST_KEYWORDS = 64, 1024, 8
_MOST_BYTES = 256 * 1024


class SkillError(ValueError):
    """A file is no skill; the message is half a sentence that says why."""


class Skill(msgspec.Struct, frozen=True):
    """A skill as it was found. `offered`: the model may choose it by itself."""

    name: str
    description: str
    path: Path
    keywords: tuple[str, ...] = ()
    offered: bool = True

    def text(self) -> str:
        """What the file says to do, as it is now. Raises `SkillError`."""
        return _read(self.path)[1].strip()


def load(path: Path) -> Skill:
    """The skill of a file: `NAME/SKILL.md` or `NAME.md`. Raises `SkillError`."""
    head, body = _read(path)
    usual = path.parent.name if path.name == "SKILL.md" else path.stem
    name = str(head.get("name") or usual)
    if len(name) > _MOST_NAME or not _NAME.fullmatch(name):
        raise SkillError(f"its name {name[:80]!r} is not made of a-z, 0-9 and single hyphens, 64 at most")
    description = " ".join(str(head.get("description") or _first_line(body)).split())
    if not description:
        raise SkillError("it has no description, which says when to use it")
    hidden = head.get("disable-model-invocation") is True
    return Skill(name, description[:_MOST_DESCRIPTION], path, _keywords(head), not hidden)


def _read(path: Path) -> tuple[Mapping[str, Any], str]:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise SkillError(f"it is larger than {_MOST_BYTES // 1024} KiB")
        return split(data.decode("utf-8"))
    except OSError as error:
        raise SkillError(f"it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SkillError("it is not UTF-8 text") from None
    except FrontmatterError as error:
        raise SkillError(str(error)) from None


def _first_line(body: str) -> str:
    """What a file without a head says of itself: its first heading or line."""
    return next((line.strip("# ") for line in body.splitlines() if line.strip("# ")), "")


def _keywords(head: Mapping[str, Any]) -> tuple[str, ...]:
    """Other words for the task, a list or a line with commas; other agents have them in `metadata`."""
    metadata = head.get("metadata")
    inner = cast("dict[str, Any]", metadata).get("keywords") if isinstance(metadata, dict) else None
    found = head.get("keywords") or inner or ()
    words = found.split(",") if isinstance(found, str) else cast("object", found)
    if not isinstance(words, list | tuple):
        return ()
    words = cast("list[object]", words)
    return tuple(filter(None, (str(word).strip() for word in words)))[:_MOST_KEYWORDS]
