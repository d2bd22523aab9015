"""Modes, and the options that a session can be set to (model, thinking…)."""

from __future__ import annotations

from typing import TypeAlias

from minime_agent.acp.wire.base import Params, Unknown, Wire


class SessionMode(Wire, frozen=True):
    """A way in which the agent works."""

    id: str
    name: str
    description: str | None = None


class SessionModeState(Wire, frozen=True):
    """The modes, and the one in force."""

    current_mode_id: str
    available_modes: tuple[SessionMode, ...]


class ModelInfo(Wire, frozen=True):
    """A model of the former `models` object."""

    model_id: str
    name: str = ""
    description: str | None = None


class SessionModelState(Wire, frozen=True):
    """The former `models` object, which the protocol replaced by options of category `model`."""

    current_model_id: str = ""
    available_models: tuple[ModelInfo, ...] = ()


class ConfigChoice(Wire, frozen=True):
    """A value to choose (`value`), or a named group of values (`group` and `options`)."""

    name: str
    value: str | None = None
    description: str | None = None
    group: str | None = None
    options: tuple[ConfigChoice, ...] | None = None


class _Option(Wire, frozen=True, kw_only=True):
    id: str
    name: str
    description: str | None = None
    category: str | None = None


class ConfigSelect(_Option, frozen=True, kw_only=True, tag_field="type", tag="select"):
    """One of several values; category: mode, model, model_config, thought_level, or another word."""

    current_value: str
    options: tuple[ConfigChoice, ...]


class ConfigBoolean(_Option, frozen=True, kw_only=True, tag_field="type", tag="boolean"):
    """On or off."""

    current_value: bool


class UnknownConfigOption(Unknown, frozen=True, tag_field="type", tag="?"):
    """An option of a kind that this version doesn't know."""


ConfigOption: TypeAlias = ConfigSelect | ConfigBoolean | UnknownConfigOption


class SetSessionModeRequest(Params, frozen=True):
    """`session/set_mode`."""

    session_id: str
    mode_id: str


class SetSessionModelRequest(Params, frozen=True):
    """`session/set_model`: gone from the protocol, still needed for agents that return `models`."""

    session_id: str
    model_id: str


class SetSessionConfigOptionRequest(Params, frozen=True):
    """`session/set_config_option`; for a boolean, `type` is `boolean` and `value` a bool."""

    session_id: str
    config_id: str
    value: str | bool
    type: str | None = None


class SetSessionConfigOptionResponse(Wire, frozen=True):
    """All options after the change."""

    config_options: tuple[ConfigOption, ...]
