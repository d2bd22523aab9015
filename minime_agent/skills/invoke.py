"""A skill that the person names: their line becomes one that says exactly what to do."""

from __future__ import annotations

import re
from collections.abc import Collection

from minime_agent.skills.discover import Skills
from minime_agent.skills.skill import Skill, SkillError

_LINE = re.compile(
    r"(?:\$(?P<dollar>[a-z][a-z0-9-]*)|/skill:(?P<colon>\S+)|/skill[ \t]+(?P<word>\S+))"
    r"(?:\s+(?P<rest>.*))?",
    re.DOTALL,
)


def unknown(name: str, available: Collection[str]) -> str:
    """What is said of a skill that there is not."""
    return f'[skill: no skill named "{name}" — available: {", ".join(available) or "none"}]'


def rewrite(text: str, skills: Skills, *, by_tool: bool) -> str:
    """`$name params`, `/skill name params` and `/skill:name params` as the model reads them.

    `by_tool`: the model has read_skill; else the skill's text goes with the line. A `$word` that is no skill
    may be anything: it stays, and what there is follows it.
    """
    found = _LINE.fullmatch(text)
    if found is None:
        return text
    name = found["dollar"] or found["colon"] or found["word"]
    parameters = (found["rest"] or "").strip()
    if (skill := skills.by_name.get(name)) is not None:
        return _line(skill, parameters, by_tool=by_tool)
    said = text if found["dollar"] else parameters
    return "\n".join(filter(None, (said, unknown(name, [one.name for one in skills.offered]))))


def _line(skill: Skill, parameters: str, *, by_tool: bool) -> str:
    given = f"; parameters: {parameters}" if parameters else ""
    if by_tool:
        return f"[skill: {skill.name} — load it with read_skill and carry out its steps now{given}]"
    try:
        text = skill.text()
    except SkillError as error:
        return f"[skill: {skill.name} cannot be loaded: {error}]"
    return f"[skill: {skill.name} — carry out these steps now{given}]\n\n{text}"
