"""Writes docs/configuration.md, the reference of the configuration file, from its JSON Schema.

python packaging/configuration.py          writes the page
python packaging/configuration.py --check  fails when the page is not what would be written
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pages import write_or_check

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "resources" / "schemas" / "sidekicks.schema.json"
PAGE = ROOT / "docs" / "configuration.md"

HEAD = """\
<!-- Made by packaging/configuration.py from resources/schemas/sidekicks.schema.json: change those. -->

# The configuration file

One YAML file says which agents there are. Each file has its own history. Which one counts, in this order:

1. `sidekicks --config FILE`
2. the environment variable `SIDEKICKS_CONFIG`
3. the file that was opened last in the window; when it is gone, the window says so, and the next one counts
4. `sidekicks/sidekicks.yaml` in your configuration folder, which is `~/.config` on Linux,
   `~/Library/Application Support` on macOS and `%APPDATA%` on Windows; it is made on the first start

```yaml
EXAMPLE
```

The file is watched: a change is in force as soon as it is saved, by whichever program. A file with a
mistake, a half-written one, or one that vanishes takes nothing away: the last valid configuration stays in
force, and the window says what is wrong, with line and column. `sidekicks check [FILE]` prints the same as
`file:line:column: message`. These messages are in English, as those of compilers are, so that they can be
looked up; the window around them speaks your language.

Opening another file stops the answers and all agents, and brings its own agents and history.

- **Text** is kept as it is written: `name: on` is "on", `title: 010` is "010". Where text is wanted, a number
  is text too.
- **`${NAME}`** is replaced from the environment of Sidekicks in `command`, `args`, `env`, `cwd`, `url` and
  `headers`. A variable that is not set is a warning. `$${NAME}` stands for `${NAME}` itself.
- **Paths** are relative to the folder of this file; `~` is your home folder.
- **Anchors** (`&name`), **aliases** (`*name`) and **merge keys** (`<<: *name`) work: agents can share what
  they have in common.
- A file is UTF-8 (or UTF-16 with a byte order mark), indented with spaces, and has at most 1,000,000
  characters, 500 agents and 100,000 values.
- Editors complete and explain the keys with the schema: `# yaml-language-server: $schema=PATH` as the file's
  first line, with the path of `sidekicks.schema.json`.
"""

SECTIONS = (
    ("Keys of the file", "", ()),
    ("Limits", "limits", ("properties", "limits")),
    ("An agent", "agents[]", ("$defs", "agent")),
    ("An MCP server", "agents[].mcpServers[]", ("$defs", "mcpServer")),
)

EXAMPLE = """\
theme: system
limits:
  maxRunningAgents: 4
  stopIdleAgentsAfter: 10m
agents:
  - name: mm
    title: Mini Me
    icon: 🤖
    command: mm
    args: [--acp]
  - name: claude
    title: Claude
    command: npx
    args: [-y, "@agentclientprotocol/claude-agent-acp"]
    env: {ANTHROPIC_API_KEY: "${ANTHROPIC_API_KEY}"}
    cwd: ~/src/demo
    startTimeout: 2m"""

_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "nothing",
    "number": "a number",
    "object": "a mapping",
    "string": "text",
}


def page(schema: dict[str, Any]) -> str:
    """The page, as Markdown."""
    return "\n".join([HEAD.replace("EXAMPLE", EXAMPLE), *_sections(schema)])


def _sections(schema: dict[str, Any]) -> Iterator[str]:
    for title, place, steps in SECTIONS:
        part = schema
        for step in steps:
            part = part[step]
        yield f"## {title}\n"
        if steps:
            yield _wrapped(part["description"])
        for key, value in part["properties"].items():
            required = key in part.get("required", ())
            yield from _entry(f"{place}.{key}".removeprefix("."), key, value, required=required)


def _entry(name: str, key: str, value: dict[str, Any], *, required: bool) -> Iterator[str]:
    described = {**_resolved(value["$ref"]), **value} if "$ref" in value else value
    yield f"### `{name}`\n"
    facts = f"*{_kind(described)}*"
    if "default" in described:
        facts += f" · default `{_written(described['default'])}`"
    yield f"{facts}{' · **required**' if required else ''}\n"
    yield _wrapped(described["description"])
    if "examples" in described:
        first, *others = (_written(example) for example in described["examples"])
        others_too = f"  # or {', or '.join(others)}" if others else ""
        yield f"```yaml\n{key}: {first}{others_too}\n```\n"


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 110, break_long_words=False, break_on_hyphens=False)) + "\n"


def _resolved(reference: str) -> dict[str, Any]:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    return schema["$defs"][reference.removeprefix("#/$defs/")]


def _kind(part: dict[str, Any]) -> str:
    """What may stand there, in words."""
    if "enum" in part:
        return "one of " + ", ".join(f"`{choice}`" for choice in part["enum"])
    types = part["type"] if isinstance(part["type"], list) else [part["type"]]
    if "pattern" in part and "duration" in part["patternErrorMessage"]:
        return "a duration: " + part["patternErrorMessage"].removeprefix("must be a duration such as ")
    if types == ["integer"]:
        return f"a whole number from {part['minimum']} to {part['maximum']}"
    words = " or ".join(_TYPES[name] for name in types)
    if "maxLength" in part:
        words += f" of at most {part['maxLength']} characters"
    if "maxItems" in part and types == ["array"]:
        words += f" of at most {part['maxItems']}"
    return words


def _written(value: object) -> str:
    """A value as one writes it in YAML, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_written(item) for item in value) + "]"
    text = str(value)
    return f'"{text}"' if any(sign in text for sign in "{}[]:,") else text


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(json.loads(SCHEMA.read_text("utf-8")))))
