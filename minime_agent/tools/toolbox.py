"""The tools of one session, chosen by the settings, and their declarations in an order that never changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minime_agent.config.settings import Settings
from minime_agent.skills.discover import Skills
from minime_agent.tools.tool import Tool


class Toolbox:
    """Tools by name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}

    @property
    def names(self) -> list[str]:
        """The names, sorted."""
        return list(self._tools)

    def get(self, name: str) -> Tool | None:
        """The tool of that name."""
        return self._tools.get(name)

    def declarations(self) -> list[dict[str, Any]]:
        """What the model is offered; in another order the server would read the whole prompt again."""
        return [
            {
                "type": "function",
                "function": {"name": name, "description": tool.description, "parameters": tool.schema},
            }
            for name, tool in self._tools.items()
        ]


def select(settings: Settings, skills: Skills, default: tuple[str, ...] | None = None) -> Toolbox:
    """The tools that the settings name, else the model's `default`, else all that are switched on."""
    from minime_agent.tools.bash import Bash
    from minime_agent.tools.edit_file import EditFile
    from minime_agent.tools.plan import Plan
    from minime_agent.tools.read_file import ReadFile
    from minime_agent.tools.read_skill import ReadSkill
    from minime_agent.tools.write_file import WriteFile

    chosen = settings.tools if settings.tools is not None else default
    files: list[Tool] = [EditFile(), ReadFile(), WriteFile(settings.sampling.max_tokens)]
    switched: list[tuple[bool, list[Tool]]] = [
        (settings.bash_tool, [Bash()]),
        (settings.edit_tools, files),
        (settings.plan_tool, [Plan()]),
        (bool(skills.by_name), [ReadSkill(skills)]),
    ]
    on = [tool for switch, tools in switched if switch for tool in tools]
    return Toolbox(tool for tool in on if chosen is None or tool.name in chosen)
