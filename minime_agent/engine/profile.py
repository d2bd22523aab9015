"""What a family of models needs other than the defaults; what the settings say comes before it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from minime_agent.config.check import ConfigError, did_you_mean
from minime_agent.config.settings import Sampling, Settings
from minime_agent.project import user_folder
from minime_agent.resources import resource

ENOUGH_TO_REASON = 8_192
"""Tokens of an answer below which reasoning may leave none for the answer itself."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """One family. `models` are parts of a model's name in small letters; `sampling` holds what differs.

    `tools` None offers all tools. `reasoning`: its answers begin with reasoning. `system_role`: its chat
    template takes a system message.
    """

    name: str = ""
    models: tuple[str, ...] = ()
    sampling: dict[str, int | float] = {}
    tools: tuple[str, ...] | None = None
    reasoning: bool = False
    system_role: bool = True


def profile_of(model: str, choice: str = "auto", own: Path | None = None) -> Profile:
    """The profile of a model by its name, or the one that is chosen by its own; `none` chooses none.

    The user's file (`profiles.yaml` beside the settings, or `own`) comes before the packaged families. Raises
    `ConfigError` for a file that is wrong, or a name that there is not.
    """
    if choice == "none":
        return Profile()
    known = _profiles(own or user_folder() / "profiles.yaml")
    if choice == "auto":
        name = model.lower()
        return next((one for one in known if any(part in name for part in one.models)), Profile())
    found = next((one for one in known if one.name == choice), None)
    if found is None:
        names = [one.name for one in known]
        raise ConfigError(
            f"profile: there is no profile {choice!r}{did_you_mean(choice, names)}; "
            f"there are auto, none, {', '.join(names)}"
        )
    return found


def values_of(model: str, choice: str = "auto") -> tuple[str, dict[str, Any]]:
    """The name of a model's profile, empty when it has none, and what it sets, by the settings' keys."""
    profile = profile_of(model, choice)
    values: dict[str, Any] = {f"sampling.{key}": value for key, value in profile.sampling.items()}
    return profile.name, values if profile.tools is None else values | {"tools": profile.tools}


def merged(settings: Settings, profile: Profile) -> Sampling:
    """The settings' values where the person set them, else the profile's."""
    given = {key for key in profile.sampling if f"sampling.{key}" in settings.given}
    changes: dict[str, Any] = {key: value for key, value in profile.sampling.items() if key not in given}
    return msgspec.structs.replace(settings.sampling, **changes)


def _profiles(own: Path) -> Sequence[Profile]:
    packaged = msgspec.json.decode(resource("profiles.json").read_bytes(), type=list[Profile])
    return [*_of_the_user(own), *packaged] if own.is_file() else packaged


def _of_the_user(path: Path) -> Sequence[Profile]:
    import yaml

    known = {field.name for field in msgspec.structs.fields(Sampling)}
    try:
        profiles = msgspec.convert(yaml.safe_load(path.read_text("utf-8")) or [], list[Profile])
    except (OSError, UnicodeDecodeError, yaml.YAMLError, msgspec.ValidationError) as error:
        raise ConfigError(f"{path}: the profiles can't be read: {' '.join(str(error).split())}") from None
    for profile in profiles:
        if wrong := set(profile.sampling) - known:
            raise ConfigError(f"{path}: {profile.name}: sampling has no {', '.join(sorted(wrong))}")
    return profiles
