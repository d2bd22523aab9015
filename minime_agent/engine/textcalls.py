"""Tool calls that a model wrote into its answer as text, where the server's template made no call of them.

Measured on Qwen 0.5B with llama.cpp: of 8 calls 6 came in a code fence, 2 as bare JSON, none as calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias, cast

import msgspec

from minime_agent.engine.messages import FunctionCall
from minime_agent.engine.runaway import RunawayGuard
from minime_agent.engine.toolnames import meant
from minime_agent.tools.arguments import coerce, problem
from minime_agent.tools.toolbox import Toolbox

TAGS = ("<tool_call>", "<function=", "<|tool_call|>", "<|python_tag|>", "[TOOL_CALLS]")
"""What begins a call and nothing else: templates of Qwen and Hermes, Llama, Granite, Mistral."""
_END_TAGS = re.compile(r"</tool_call>|</function>|<\|/?tool_call\|>|<\|eom_id\|>|</s>")
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?[ \t]*(?:```|\Z)", re.DOTALL)
_FUNCTION = re.compile(r"<function=([\w.-]+)>\s*(.*?)\s*(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>\n?(.*?)\n?(?:</parameter>|(?=<parameter=)|\Z)", re.DOTALL)
_MISTRAL = re.compile(r"\s*([\w.-]+)\s*(?:\[CALL_ID\]\w*)?\s*(?:\[ARGS\])?\s*(?=\{)")
_NAMES = ("name", "tool", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "kwargs")
_FENCES = ("", "json", "tool_call", "tool_code", "tool", "xml")
_HELD = 300
"""Characters of JSON after which it must have named a tool, or is shown."""
_NAMING = re.compile(rf'"(?:{"|".join(_NAMES)})"\s*:')

_Written: TypeAlias = tuple[str, dict[str, Any], bool]
"""A tool's name, the arguments, and whether these stood beside the name, where any JSON may have them."""


class CallText:
    """Holds back an answer that begins like a call, or a line of it that does, until it is decided.

    `held` is what was not shown. Everything else comes back from `feed` as it comes in.
    """

    def __init__(self, *, guarded: bool = False) -> None:
        """`guarded`: a tag after which the text does not end raises `RunawayCall` from `feed`."""
        self._guard = RunawayGuard() if guarded else None
        self._pieces: list[str] = []
        self._length = 0
        self._decided = self._tagged = False
        self._begun = False
        self._line = ""

    @property
    def held(self) -> str:
        """The text that was not shown."""
        return "".join(self._pieces)

    @property
    def length(self) -> int:
        """Characters of a call in the making; 0 while there are only blanks."""
        return self._length if self._decided or self.held.strip() else 0

    def feed(self, text: str) -> str:
        """What can be shown by now. Once it is decided that a call begins, a piece costs the same however
        long the call is."""
        self._pieces.append(text)
        self._length += len(text)
        if self._decided:
            if self._guard is not None and self._tagged:
                self._guard.feed(text)
            return ""
        held = self.held
        if not self._begun and may_be_call(held, whole=True):
            self._decided = _begins_call(held)
            self._tagged = held.lstrip().startswith(TAGS)
            return ""
        self._begun = True
        at = self._tag(held)
        shown, rest = held[:at], held[at:]
        self._pieces, self._length = [rest], len(rest)
        self._decided = self._tagged = rest.lstrip().startswith(TAGS)
        self._line = (self._line + shown).rpartition("\n")[2]
        return shown

    def take(self) -> str:
        """What was held back; it no longer is."""
        held = self.held
        self._pieces, self._length, self._decided = [], 0, False
        return held

    def _tag(self, held: str) -> int:
        """Where a line begins that may open a call: an answer may say something before it calls."""
        at = 0
        for line in held.splitlines(keepends=True):
            follows = at == 0 and self._line.strip()
            if not follows and line.strip() and may_be_call(line, whole=False):
                return at
            at += len(line)
        return at


def may_be_call(text: str, *, whole: bool) -> bool:
    """Whether a text can still become a call; `whole`: it begins an answer, where JSON and fences count."""
    start = text.lstrip()
    if not start:
        return whole
    if any(start.startswith(tag) or tag.startswith(start) for tag in TAGS):
        return True
    if not whole:
        return False
    if start.startswith("```") or "```".startswith(start):
        head, newline, rest = start[3:].partition("\n")
        kind = head.strip()
        if not any(name == kind or (not newline and name.startswith(kind)) for name in _FENCES):
            return False
        return not newline or may_be_call(rest, whole=True)
    return start[0] in "{[" and (len(start) < _HELD or _NAMING.search(start[:_HELD]) is not None)


def _begins_call(text: str) -> bool:
    """Whether what `may_be_call` stays so whatever follows."""
    start = text.lstrip()
    if start.startswith("```"):
        return _begins_call(start.partition("\n")[2])
    return start.startswith(TAGS) or (start[:1] in ("{", "[") and _NAMING.search(start[:_HELD]) is not None)


def looks_like_call(text: str) -> bool:
    """Whether an answer was meant as a call, readable or not."""
    start = text.lstrip()
    if any(start.startswith(tag) for tag in TAGS):
        return True
    if start.startswith("```"):
        start = start.partition("\n")[2].lstrip()
    names_arguments = re.search(rf'"(?:{"|".join(_ARGUMENTS)})"\s*:', start) is not None
    return start[:1] in ("{", "[") and _NAMING.search(start[:_HELD]) is not None and names_arguments


def calls_in(text: str, toolbox: Toolbox, *, lenient: bool = True) -> list[FunctionCall]:
    """The calls that a text consists of: none unless all of it is calls, each valid for a tool.

    `lenient` takes a slip of a tool's name for the tool.
    """
    if not text.strip():
        return []
    try:
        found = list(_calls(text.strip()))
        return list(_fitting(found, toolbox, lenient=lenient))
    except (ValueError, RecursionError, msgspec.DecodeError):
        # Beside what is no call: half of a surrogate pair, nesting without end.
        return []


def _fitting(found: list[_Written], toolbox: Toolbox, *, lenient: bool) -> Iterator[FunctionCall]:
    """The calls in the tools' own names; raises `ValueError` where one is not valid for a tool."""
    for name, arguments, bare in found:
        tool = meant(name, toolbox, arguments, lenient=lenient)
        if tool is None:
            raise ValueError("there is no such tool")
        fitting = coerce(arguments, tool.schema)
        if wrong := problem(fitting, tool.schema):
            raise ValueError(wrong)
        if bare and not fitting.keys() <= tool.schema.get("properties", {}).keys():
            raise ValueError("other JSON that happens to have a name")
        yield FunctionCall(tool.name, msgspec.json.encode(fitting).decode())


def _calls(text: str) -> Iterator[_Written]:
    """Name and arguments of each call; raises `ValueError` for anything that is none."""
    if "<function=" in text:
        yield from _functions(text)
        return
    if text.startswith("[TOOL_CALLS]"):
        text = text.removeprefix("[TOOL_CALLS]").strip()
        if (named := _MISTRAL.match(text)) is not None:
            text = f'{{"name": "{named[1]}", "arguments": {text[named.end() :]}}}'
    for tag in TAGS:
        text = text.replace(tag, "\n")
    text = _END_TAGS.sub("\n", text)
    fenced = _FENCE.findall(text)
    if fenced:
        if _FENCE.sub("", text).strip():
            raise ValueError("there is more than calls")
        text = "\n".join(fenced)
    for value in _values(text):
        for one in cast("list[object]", value) if isinstance(value, list) else [value]:
            yield _call(one)


def _functions(text: str) -> Iterator[_Written]:
    """`<function=name>` with JSON, or with a tag for each parameter."""
    rest = _END_TAGS.sub("", _FUNCTION.sub("", text).replace("<tool_call>", ""))
    if rest.strip():
        raise ValueError("there is more than calls")
    for match in _FUNCTION.finditer(text):
        inside = match[2]
        if "<parameter=" in inside and not (
            match[0].endswith("</function>") or inside.endswith("</parameter>")
        ):
            raise ValueError("the last parameter is cut")
        if "<parameter=" in inside:
            yield match[1], {found[1]: found[2] for found in _PARAMETER.finditer(inside)}, False
        else:
            value = msgspec.json.decode(inside or "{}")
            if not isinstance(value, dict):
                raise ValueError("arguments are an object")
            yield match[1], cast("dict[str, Any]", value), False


def _values(text: str) -> Iterator[object]:
    """One JSON value after the other."""
    import json

    decoder, at, text = json.JSONDecoder(strict=False), 0, text.strip()
    if not text:
        raise ValueError("there is nothing")
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        yield value
        while at < len(text) and text[at] in " \t\r\n,;":
            at += 1


def _call(value: object) -> _Written:
    if not isinstance(value, dict):
        raise ValueError("a call is an object")
    fields = cast("dict[str, Any]", value)
    if isinstance(fields.get("function"), dict):
        fields = cast("dict[str, Any]", fields["function"])
    key = next((key for key in _NAMES if isinstance(fields.get(key), str)), None)
    if key is None:
        raise ValueError("a call names a tool")
    rest = {name: one for name, one in fields.items() if name not in (key, "id", "type")}
    wrapped = [rest[name] for name in _ARGUMENTS if name in rest]
    inner: object = wrapped[0] if wrapped else rest
    if isinstance(inner, str):
        inner = msgspec.json.decode(inner)
    if not isinstance(inner, dict):
        raise ValueError("arguments are an object")
    return fields[key], cast("dict[str, Any]", inner), not wrapped
