"""What a session can be set to: the model, and whether it reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from minime_agent.acp.conversation import Engine
from minime_agent.acp.wire.errors import RequestError
from minime_agent.acp.wire.options import (
    ConfigChoice,
    ConfigOption,
    ConfigSelect,
    SetSessionConfigOptionRequest,
)
from minime_agent.config.settings import Thinking

MODEL: Final = "model"
THINKING: Final = "thinking"
_FIRST: Final = "auto"
_THINKING: Final = (
    ConfigChoice("As the model does", "auto"),
    ConfigChoice("On", "on"),
    ConfigChoice("Off", "off", "Where the server and the model can: answers come sooner"),
)


def options(engine: Engine, models: Sequence[str]) -> tuple[ConfigOption, ...]:
    """The options as they are; `models` is what the server has, as far as that is known."""
    current = engine.model or _FIRST
    choices = [ConfigChoice(name, name) for name in dict.fromkeys([*models, *filter(None, [engine.model])])]
    first = f"The server's first ({engine.answering})" if engine.answering else "The server's first"
    choices.insert(0, ConfigChoice(first if not engine.model else "The server's first", _FIRST))
    return (
        ConfigSelect(id=MODEL, name="Model", category="model", current_value=current, options=tuple(choices)),
        ConfigSelect(
            id=THINKING,
            name="Thinking",
            category="thought_level",
            current_value=engine.thinking,
            options=_THINKING,
        ),
    )


async def choose(engine: Engine, models: Sequence[str], request: SetSessionConfigOptionRequest) -> None:
    """Sets one; raises `RequestError` with what there is."""
    known = {option.id: option for option in options(engine, models) if isinstance(option, ConfigSelect)}
    option = known.get(request.config_id)
    if option is None:
        names = ", ".join(known)
        raise RequestError.invalid_params(f"no option {request.config_id!r}; there are {names}")
    values = [choice.value for choice in option.options]
    if request.value not in values:
        there = ", ".join(str(value) for value in values)
        raise RequestError.invalid_params(f"no {option.id} {request.value!r}; there are {there}")
    if option.id == MODEL:
        await engine.choose_model("" if request.value == _FIRST else str(request.value))
    else:
        await engine.choose_thinking(cast("Thinking", request.value))
