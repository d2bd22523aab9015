"""The one Settings model. Its keys are the settings file's, in the spelling that people write."""

from __future__ import annotations

import re
from typing import Annotated, Literal, TypeAlias

import msgspec

Thinking: TypeAlias = Literal["auto", "on", "off"]
ProviderName: TypeAlias = Literal["auto", "llamacpp", "dmr", "ollama", "lmstudio", "openai", "embedded"]

WholeNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
AtLeastOne: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
NotNegative: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]

_DURATION = re.compile(r"(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?")


class Seconds(float):
    """A time span, written `180s`, `3m`, `1m30s`, `500ms` or as a plain number of seconds."""

    @classmethod
    def parse(cls, value: object) -> Seconds:
        """Reads one value of the settings file; raises ValueError with the sentence for the person."""
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return cls(value)
        if isinstance(value, str) and value and (match := _DURATION.fullmatch(value)):
            minutes, seconds, milliseconds = (float(part or 0) for part in match.groups())
            if total := minutes * 60 + seconds + milliseconds / 1000:
                return cls(total)
        raise ValueError(f"{value!r} is not a time span; write it like 180s or 3m")


class Sampling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the model chooses its words. `null` leaves a value to the server."""

    temperature: NotNegative | None = 0.0
    """0 takes the likeliest word each time; higher is more varied and less exact."""
    top_p: Share | None = 0.9
    """Only the likeliest words that together have this probability."""
    max_tokens: AtLeastOne = 4096
    """The longest answer, in tokens; reasoning is part of it."""
    parallel_tool_calls: bool = False
    """Lets the model call several tools at once."""
    top_k: WholeNumber | None = None
    """Only this many of the likeliest words."""
    min_p: Share | None = None
    """Only words at least this likely, as a share of the likeliest one's probability."""
    repeat_penalty: NotNegative | None = None
    """Above 1, words that stand there already become less likely."""
    seed: int | None = None
    """The same seed gives the same answer, where the server can."""


class Guards(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Guards against what small models do wrong. Each can be switched off: so its worth can be measured."""

    loop: bool = True
    """Warns a model that repeats a call, a cycle of calls or a refused edit, then ends the turn."""
    runaway: bool = True
    """Breaks off arguments that repeat themselves without end, or are longer than any call."""
    arguments: bool = True
    """Puts right what is unambiguous in arguments: other names, a text for a number, one edit for a list."""
    unknown_tool: bool = True
    """Takes a slip of a tool's name for the tool that is meant."""
    text_calls: bool = True
    """Runs calls that the model wrote into its answer as text."""
    forced_call: bool = True
    """Asks once more, so that the answer must be a call, for one that can't be read."""
    think: bool = True
    """Takes reasoning in `<think>` tags out of the answer."""
    adaptive_temperature: bool = True
    """Raises the temperature for two model calls after a repetition."""


class Context(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """How room is made in the context window."""

    enabled: bool = True
    """Makes room by itself, before a request that would not leave enough and after one that was too large."""
    threshold: Annotated[float, msgspec.Meta(ge=0.1, le=0.95)] = 0.75
    """The share of the window at which room is made."""
    keep_last_turns: AtLeastOne = 2
    """How many turns, the running one among them, stay as they are."""
    summary_max_tokens: Annotated[int, msgspec.Meta(ge=100)] = 1200
    """The longest summary of what came before, in tokens; an eighth of the window at most."""
    mask: bool = True
    """Leaves out old tool outputs before older turns are summarised."""


class LanguageServer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program that knows a language."""

    command: str | tuple[str, ...]
    """How it is started: split at blanks, or a list of the program and its arguments."""
    extensions: tuple[str, ...] = ()
    """The files it is asked about, where mm does not know the language."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The command line."""
        return tuple(self.command.split()) if isinstance(self.command, str) else self.command


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Everything that can be configured, and nothing that has no effect.

    `api_key` comes from the environment alone. `given` are the keys (`sampling.top_p`) that the person set: a
    model's profile stays beneath them.
    """

    provider: ProviderName = "auto"
    """The kind of server. `auto` asks this computer's known addresses, then takes the embedded model."""
    model: str = ""
    """The model's name, or the path of a GGUF file. Empty: the server's first."""
    base_url: str = msgspec.field(default="", name="baseURL")
    """Where the server answers, up to `/v1`. Empty: the provider's usual address."""
    profile: str = "auto"
    """What the model's family wants: `auto` by the model's name, `none`, or the name of a profile."""
    thinking: Thinking = "auto"
    """Whether the model reasons before it answers, where the server can switch it."""
    system_prompt: str = ""
    """Replaces the built-in instructions."""
    system_prompt_append: str = ""
    """Follows the instructions."""
    sampling: Sampling = Sampling()
    tools: tuple[str, ...] | None = None
    """The tools that the model is offered: names, patterns, `+name` and `-name` to change the usual choice.
    `null`: all that are switched on and that it can use. See [mm's tools](mm-tools.md#choosing-tools)."""
    bash_tool: bool = True
    """Offers `bash`, which runs commands."""
    edit_tools: bool = True
    """Offers `read_file`, `write_file` and `edit_file`."""
    plan_tool: bool = True
    """Offers `plan`, which shows the steps of a longer task."""
    fetch_content_tool: bool = False
    """Offers `fetch_content`, which reads web pages: the only tool that uses the network."""
    lsp: dict[str, LanguageServer] = {}
    """Language servers by language, such as `python: {command: pylsp}`; they are offered as `lsp`."""
    skills_dir: str = "skills"
    """The folder of your own skills; a relative one lies in mm's configuration folder. Empty: none."""
    max_turns: AtLeastOne = 40
    """How often the model may call tools in one turn; then it is asked what is done and what remains."""
    max_output: WholeNumber = 0
    """Characters of one tool result that the model reads; 0: 15 % of its window."""
    preview_lines: WholeNumber = 10
    """Lines of each tool result that the terminal shows."""
    first_token_timeout: Seconds = Seconds(180)
    """How long a server may be silent before an answer begins; progress in reading the prompt counts."""
    watchdog_timeout: Seconds = Seconds(30)
    """How long a server may be silent within an answer."""
    context_window: WholeNumber = 0
    """The model's context window in tokens; 0: as the server says."""
    context: Context = Context()
    guards: Guards = Guards()
    api_key: str = ""
    given: frozenset[str] = frozenset()
