"""Which tool a model means: by its name, or by one that is a slip of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minime_agent.tools.arguments import coerce, problem
from minime_agent.tools.tool import Tool
from minime_agent.tools.toolbox import Toolbox

_SHELLS = (
    *("shell", "sh", "run", "execute", "exec", "terminal", "cmd", "command", "run_command", "local_shell"),
    *("execute_command", "run_shell_command", "shell_command", "bash_command", "run_terminal_cmd"),
)
"""What other agents call their shell, and models that were trained on them."""


def meant(name: str, toolbox: Toolbox, arguments: Mapping[str, Any], *, lenient: bool = True) -> Tool | None:
    """The tool of that name; `lenient` takes `functions.bash`, `Read`, `shell` for the one that is meant.

    Another agent's shell is `bash` only with arguments that fit it: `run` may as well run a test by its name.
    """
    if (tool := toolbox.get(name)) is not None or not lenient:
        return tool
    plain = name.strip().rpartition(".")[2].rpartition(":")[2].replace("-", "_").lower()
    for spelling in (plain, f"{plain}_file", plain.removesuffix("_tool")):
        if (tool := toolbox.get(spelling)) is not None:
            return tool
    bash = toolbox.get("bash") if plain in _SHELLS else None
    if bash is None or problem(coerce(dict(arguments), bash.schema), bash.schema):
        return None
    return bash
