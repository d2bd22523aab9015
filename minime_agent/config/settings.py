"""The one Settings model. Its keys are the settings file's, in the spelling people write them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

ProviderName: TypeAlias = Literal["auto", "llamacpp", "dmr", "ollama", "lmstudio", "openai", "embedded"]


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
    """Each guard of the loop can be switched off, so that its worth can be measured."""

    loop: bool = True
    arguments: bool = True
    unknown_tool: bool = True
    think: bool = True


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Everything that can be configured. Times are seconds; 0 means "by the server" for sizes.

    `tools` None means the provider's own choice (see `engine.providers`), a list names the tools.
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
    max_turns: int = 40
    max_output: int = 0
    preview_lines: int = 10
    first_token_timeout: float = 180.0
    watchdog_timeout: float = 30.0
    context_window: int = 0
    guards: Guards = Guards()
    api_key: str = ""
