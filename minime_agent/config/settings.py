"""The one Settings model. Its keys are the settings file's, in the spelling that people write."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import msgspec

ProviderName: TypeAlias = Literal["auto", "llamacpp", "dmr", "ollama", "lmstudio", "openai", "embedded"]

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
    """How the model chooses; None leaves a value to the server."""

    temperature: float | None = 0.0
    top_p: float | None = 0.9
    max_tokens: int = 4096
    parallel_tool_calls: bool = False
    top_k: int | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    seed: int | None = None


class Guards(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Guards of the loop that can be switched off, so that their worth can be measured.

    `loop`: repeated actions; `runaway`: arguments without end; `arguments`: what is unambiguous in them put
    right; `unknown_tool`: a name that is a slip of a tool's; `text_calls`: calls written as text;
    `forced_call`: one more request, that cannot miss, for a call that cannot be read; `think`: reasoning in
    the answer; `adaptive_temperature`: a warmer one after a repetition.
    """

    loop: bool = True
    runaway: bool = True
    arguments: bool = True
    unknown_tool: bool = True
    text_calls: bool = True
    forced_call: bool = True
    think: bool = True
    adaptive_temperature: bool = True


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Everything that can be configured, and nothing that has no effect; sizes: 0 is "by the model's window".

    `tools` None means the model's own choice (see `engine.profile`), a list names the tools. The `api_key`
    comes from the environment alone. `skills_dir` is taken from the settings' folder.
    """

    provider: ProviderName = "auto"
    model: str = ""
    base_url: str = msgspec.field(default="", name="baseURL")
    system_prompt: str = ""
    system_prompt_append: str = ""
    sampling: Sampling = Sampling()
    tools: tuple[str, ...] | None = None
    bash_tool: bool = True
    edit_tools: bool = True
    plan_tool: bool = True
    skills_dir: str = "skills"
    max_turns: int = 40
    max_output: int = 0
    preview_lines: int = 10
    first_token_timeout: Seconds = Seconds(180)
    watchdog_timeout: Seconds = Seconds(30)
    context_window: int = 0
    guards: Guards = Guards()
    api_key: str = ""
