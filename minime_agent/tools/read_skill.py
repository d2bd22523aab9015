"""`read_skill`: the text of a skill; its description is the catalogue that the model chooses from."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from minime_agent.skills.discover import Skills
from minime_agent.skills.invoke import unknown
from minime_agent.skills.skill import Skill, SkillError
from minime_agent.tools.arguments import parse
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.workspace import Workspace, clip
from minime_agent.ui.events import Location, Sink

_HEAD = (
    "Load a skill: the steps for a kind of task. When the task is one of these, load its skill first, "
    "then carry out its steps yourself:\n"
)
_MOST = 2_000
"""Characters of the catalogue: every request carries it."""


class _Arguments(msgspec.Struct):
    name: str


class ReadSkill:
    """Gives the model a procedure when it is needed, and not before."""

    name = "read_skill"
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    }

    def __init__(self, skills: Skills) -> None:
        self._skills = skills
        self.description = _HEAD + catalogue(skills.offered)

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Refuses a name that there is not, and says which there are."""
        wanted = parse(_Arguments, arguments, self.name, self.schema)
        name = wanted.name.strip().removeprefix("$").lower()
        if (skill := self._skills.by_name.get(name)) is None:
            raise ToolFailure(unknown(wanted.name, [one.name for one in self._skills.offered]))

        async def run(_sink: Sink, _call_id: str) -> ToolResult:
            try:
                text = await asyncio.to_thread(skill.text)
            except SkillError as error:
                return ToolResult(f"[skill: {skill.name} cannot be loaded: {error}]", failed=True)
            return ToolResult(clip(_headed(skill, text), workspace.max_output), locations=locations)

        locations = (Location(str(skill.path)),)
        return PreparedCall(f"Read the skill {skill.name}", "read", run, locations)


def catalogue(skills: Sequence[Skill], most: int = _MOST) -> str:
    """A line for each skill, within `most` characters: with less of each when there are many."""
    for words, size in ((8, 160), (4, 100), (0, 60), (0, 30), (0, 0)):
        rows = [_row(skill, words, size) for skill in skills]
        if len("\n".join(rows)) <= most:
            return "\n".join(rows)
    shown = most // max(len(row) + 1 for row in rows)
    return "\n".join((*rows[:shown], f"- and {len(rows) - shown} more, which the person names"))


def _row(skill: Skill, words: int, size: int) -> str:
    if not size:
        return f"- {skill.name}"
    text = skill.description if len(skill.description) <= size else f"{skill.description[: size - 1]}…"
    keywords = f" ({', '.join(skill.keywords[:words])})" if skill.keywords and words else ""
    return f"- {skill.name}: {text}{keywords}"


def _headed(skill: Skill, text: str) -> str:
    """The text; with where the files lie that a skill in a folder of its own may name."""
    if skill.path.name != "SKILL.md":
        return text
    return f"[skill: {skill.name}; the files that it names are in {skill.path.parent}]\n\n{text}"
