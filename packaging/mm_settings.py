"""Writes docs/mm-settings.md, the reference of mm's settings, from the docstrings of their model.

python packaging/mm_settings.py          writes the page
python packaging/mm_settings.py --check  fails when the page is not what would be written
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pages import write_or_check

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from minime_agent.config import settings  # noqa: E402 (the project is not installed where this runs)
from minime_agent.config.keys import VARIABLES, as_text, fields, is_group, keys  # noqa: E402

PAGE = ROOT / "docs" / "mm-settings.md"

HEAD = """\
<!-- Made by packaging/mm_settings.py from minime_agent/config/settings.py: change those. -->

# The settings of `mm`

Each layer goes over the one before: the defaults, what suits the model, the settings file, the
environment, flags. The file is the one that `--config` names, else `MM_CONFIG`, else `mm/agent.yaml` in your
configuration folder, which is `~/.config` on Linux, `~/Library/Application Support` on macOS and
`%LOCALAPPDATA%` on Windows; none is needed.

```yaml
provider: llamacpp
model: qwen3-8b
sampling: {temperature: 0.2, top_k: 20}
context:
  threshold: 0.8
```

- `mm config check [FILE]` lists everything that is wrong, with file, line and key; the exit code is then 1.
- `mm config show` prints every setting in force and where it comes from; it takes a conversation's flags.
- `--set KEY=VALUE` sets any key for one run: `mm --set sampling.top_k=20 --set tools=bash,read_file`.
- `--provider`, `--base-url`, `--model` and `--tools` are short for the keys of these names.
- The key of a server comes from the environment alone: `MM_API_KEY`, else `OPENAI_API_KEY` where the provider
  is `openai` or an address was chosen.
"""

_WORDS = {bool: "true or false", int: "whole number", float: "number", str: "text", type(None): "`null`"}


def page() -> str:
    """The page, as Markdown."""
    return "\n".join([HEAD, *_table("The keys", settings.Settings, ""), *_groups()])


def _groups() -> Iterator[str]:
    for name, field in fields(settings.Settings).items():
        if is_group(field.type):
            yield from _table(f"`{name}`", field.type, f"{name}.")


def _table(title: str, kind: type, lead: str) -> Iterator[str]:
    yield f"## {title}\n"
    if lead:
        yield f"{inspect.getdoc(kind)}\n"
    yield "| key | value | default | environment | meaning |"
    yield "|---|---|---|---|---|"
    meanings = _meanings(kind)
    for name, key in keys().items():
        if key.owner is kind:
            variable = f"`{VARIABLES[name]}`" if name in VARIABLES else ""
            cells = (
                f"`{name}`",
                _value(key.type),
                f"`{as_text(key.default)}`",
                variable,
                meanings[key.field],
            )
            yield f"| {' | '.join(cells)} |"
    yield ""


def _meanings(kind: type) -> dict[str, str]:
    """What stands under each field of a class, on one line."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef)
    return {
        field.target.id: " ".join(str(text.value.value).split())
        for field, text in zip(body.body, body.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


def _value(kind: Any) -> str:
    """What may stand there, in words."""
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(map(_value, get_args(kind)))
    if get_origin(kind) is Annotated:
        plain, bounds = get_args(kind)
        if bounds.le is not None:
            return f"{_value(plain)} from {bounds.ge:g} to {bounds.le:g}"
        return f"{_value(plain)} ≥ {bounds.ge:g}"
    if get_origin(kind) is Literal:
        return ", ".join(f"`{word}`" for word in get_args(kind))
    if get_origin(kind) is tuple:
        return "list of text"
    if get_origin(kind) is dict:
        return f"mapping of names to `{{{', '.join(fields(get_args(kind)[1]))}}}`"
    return "time span, such as `180s` or `3m`" if kind is settings.Seconds else _WORDS[kind]


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page()))
