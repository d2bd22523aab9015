"""The tools of one session, chosen by the settings, and their declarations in an order that never changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minime_agent.config.settings import Settings
from minime_agent.skills.discover import Skills
from minime_agent.tools.selection import choose
from minime_agent.tools.tool import Lasting, Tool


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

    async def close(self) -> None:
        """Ends what the tools keep running."""
        for tool in self._tools.values():
            if isinstance(tool, Lasting):
                await tool.close()

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
    """The tools that the settings name, else the model's `default`, else all that are switched on.

    What is named is there whatever the switches say: they make the usual choice, which `+name` and `-name`
    change. Raises `ConfigError` for a name that no tool has.
    """
    usual = switched_on(settings) if default is None else default
    names = usual if settings.tools is None else choose(settings.tools, usual)
    return Toolbox(_make(name, settings, skills) for name in names if _is_there(name, settings, skills))


def switched_on(settings: Settings) -> list[str]:
    """The tools of a session that names none."""
    switches = [
        (settings.bash_tool, ("bash",)),
        (settings.edit_tools, ("edit_file", "read_file", "write_file")),
        (settings.plan_tool, ("plan",)),
        (settings.fetch_content_tool, ("fetch_content",)),
        (bool(settings.lsp), ("lsp",)),
        (True, ("read_skill",)),
    ]
    return [name for switch, names in switches if switch for name in names]


def _is_there(name: str, settings: Settings, skills: Skills) -> bool:
    """Whether this machine has what the tool needs: a declared tool that can't work misleads the model."""
    match name:
        case "fetch_content":
            from importlib.util import find_spec

            return find_spec("turbohtml") is not None
        case "lsp":
            from minime_agent.tools.lsp import installed

            return bool(installed(settings.lsp))
        case "read_skill":
            return bool(skills.by_name)
        case _:
            return True


def _make(name: str, settings: Settings, skills: Skills) -> Tool:
    """A tool by its name; only those that a session has are imported."""
    match name:
        case "bash":
            from minime_agent.tools.bash import Bash

            return Bash()
        case "plan":
            from minime_agent.tools.plan import Plan

            return Plan()
        case "fetch_content":
            from minime_agent.tools.fetch_content import FetchContent

            return FetchContent()
        case "lsp":
            from minime_agent.tools.lsp import Lsp, installed

            return Lsp(installed(settings.lsp))
        case "read_skill":
            from minime_agent.tools.read_skill import ReadSkill

            return ReadSkill(skills)
        case "find" | "grep" | "ls":
            return _make_search_tool(name)
        case _:
            return _make_file_tool(name, settings)


def _make_file_tool(name: str, settings: Settings) -> Tool:
    match name:
        case "edit_file":
            from minime_agent.tools.edit_file import EditFile

            return EditFile()
        case "read_file":
            from minime_agent.tools.read_file import ReadFile

            return ReadFile()
        case "write_file":
            from minime_agent.tools.write_file import WriteFile

            return WriteFile(settings.sampling.max_tokens)
        case _:
            raise KeyError(name)


def _make_search_tool(name: str) -> Tool:
    match name:
        case "find":
            from minime_agent.tools.find import Find

            return Find()
        case "grep":
            from minime_agent.tools.grep import Grep

            return Grep()
        case _:
            from minime_agent.tools.ls import Ls

            return Ls()
