"""What can be chosen in a session: modes, the former models object and config options as one list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from minime_agent.acp.wire import options, sessions
from sidekicks.acp.errors import AgentRefusedError
from sidekicks.acp.text import short
from sidekicks.models import OptionChoice, SessionOption

MAX_OPTIONS = 100
"""Options of a session that are kept."""
MAX_CHOICES = 2_000
"""Choices of an option that are kept; there are services with some 600 models."""
MAX_NAME = 200
"""Characters of a name."""
MAX_DESCRIPTION = 1_000
"""Characters of a description."""
MAX_ID = 1_000
"""Characters of an id or value; what is longer is left out, since a cut id names nothing."""

Way: TypeAlias = Literal["mode", "model", "config"]


class SessionOptions:
    """The options of one session as the agent told them last."""

    def __init__(self) -> None:
        self._mode: SessionOption | None = None
        self._model: SessionOption | None = None
        self._config: tuple[SessionOption, ...] = ()

    def opened(self, state: sessions.NewSessionResponse | sessions.SessionState) -> None:
        """Takes what the agent answered when it made the session, or took it up."""
        if state.modes is not None and state.modes.available_modes:
            self._mode = _modes(state.modes)
        if state.models is not None and state.models.available_models:
            self._model = _models(state.models)
        if state.config_options is not None:
            self.replaced(state.config_options)

    def replaced(self, config: tuple[options.ConfigOption, ...]) -> None:
        """Takes all config options anew."""
        shown = (_config_option(option) for option in config[:MAX_OPTIONS])
        self._config = tuple(option for option in shown if option is not None)

    def mode_changed(self, mode: str) -> None:
        """The agent has changed its mode, which it may also offer as a config option."""
        mode = mode[:MAX_ID]
        if self._mode is not None:
            self._mode = msgspec.structs.replace(self._mode, value=mode)
        self._config = tuple(_with_mode(option, mode) for option in self._config)

    def model_changed(self, model: str) -> None:
        """The model of the former object was set."""
        if self._model is not None:
            self._model = msgspec.structs.replace(self._model, value=model)

    def shown(self) -> tuple[SessionOption, ...]:
        """All of them: mode and model first, unless a config option is for the same."""
        return tuple(option for _, option in self._ways())

    def way(self, option_id: str, value: str | bool) -> Way:
        """How an option is set.

        Raises:
            AgentRefusedError: there is no such option, or it has no such value.
        """
        found = next((pair for pair in self._ways() if pair[1].id == option_id), None)
        if found is None:
            raise AgentRefusedError(f"it has no option {short(option_id, MAX_NAME)}")
        way, option = found
        if isinstance(option.value, bool):
            if not isinstance(value, bool):
                raise AgentRefusedError(f"{option.name} can only be on or off")
        elif all(value != choice.value for choice in option.choices):
            raise AgentRefusedError(f"{option.name} can't be {short(str(value), MAX_NAME)}")
        return way

    def _ways(self) -> list[tuple[Way, SessionOption]]:
        taken = {option.category for option in self._config}
        ways: list[tuple[Way, SessionOption]] = []
        if self._mode is not None and "mode" not in taken:
            ways.append(("mode", self._renamed(self._mode)))
        if self._model is not None and "model" not in taken:
            ways.append(("model", self._renamed(self._model)))
        return [*ways, *(("config", option) for option in self._config)]

    def _renamed(self, option: SessionOption) -> SessionOption:
        """The option with an id that no config option has."""
        ids = {other.id for other in self._config}
        id_ = option.id
        while id_ in ids:
            id_ = f"session-{id_}"
        return msgspec.structs.replace(option, id=id_)


def _with_mode(option: SessionOption, mode: str) -> SessionOption:
    is_it = option.category == "mode" and any(choice.value == mode for choice in option.choices)
    return msgspec.structs.replace(option, value=mode) if is_it else option


def _modes(state: options.SessionModeState) -> SessionOption:
    choices = (_choice(mode.id, mode.name, mode.description) for mode in state.available_modes)
    current = state.current_mode_id[:MAX_ID]
    return SessionOption(
        id="mode", name="Mode", value=current, category="mode", choices=_kept(choices, current)
    )


def _models(state: options.SessionModelState) -> SessionOption:
    choices = (
        _choice(model.model_id, model.name or model.model_id, model.description)
        for model in state.available_models
    )
    current = state.current_model_id[:MAX_ID]
    return SessionOption(
        id="model", name="Model", value=current, category="model", choices=_kept(choices, current)
    )


def _config_option(option: options.ConfigOption) -> SessionOption | None:
    if isinstance(option, options.UnknownConfigOption) or len(option.id) > MAX_ID:
        return None
    value, choices = option.current_value, ()
    if isinstance(option, options.ConfigSelect):
        value = option.current_value[:MAX_ID]
        choices = _kept(_choices(option), value)
    return SessionOption(
        id=option.id,
        name=short(option.name, MAX_NAME),
        value=value,
        description=short(option.description or "", MAX_DESCRIPTION),
        category=short(option.category or "", MAX_NAME),
        choices=choices,
    )


def _choices(option: options.ConfigSelect) -> Iterable[OptionChoice]:
    """The values, those of groups with the name of their group."""
    for item in option.options:
        if item.options is not None:
            for choice in item.options:
                yield _choice(choice.value, choice.name, choice.description, item.name)
        else:
            yield _choice(item.value, item.name, item.description)


def _choice(value: str | None, name: str, description: str | None, group: str = "") -> OptionChoice:
    return OptionChoice(
        value=value or "",
        name=short(name, MAX_NAME),
        description=short(description or "", MAX_DESCRIPTION),
        group=short(group, MAX_NAME),
    )


def _kept(choices: Iterable[OptionChoice], current: str) -> tuple[OptionChoice, ...]:
    """The choices that can be shown: the first ones, and always the current one."""
    kept: list[OptionChoice] = []
    for choice in choices:
        fits = choice.value and len(choice.value) <= MAX_ID
        if fits and (len(kept) < MAX_CHOICES or choice.value == current):
            kept.append(choice)
    return tuple(kept)
