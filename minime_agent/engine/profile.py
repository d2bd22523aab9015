"""What a family of models needs other than the defaults; what the settings say comes before it."""

from __future__ import annotations

from typing import Any

import msgspec

from minime_agent.config.settings import Sampling, Settings


class Profile(msgspec.Struct, frozen=True):
    """`tools` None offers all tools; `sampling` replaces values that the settings leave at their default."""

    tools: tuple[str, ...] | None = None
    sampling: Sampling = Sampling()


_BY_NAME = {
    # 135 million parameters make no valid call, and the declarations would take half of a 2k window.
    # At temperature 0 it repeats itself until max_tokens (a haiku ran for nine minutes on 2 busy cores,
    # 2026-12-01); 0.2 is what its makers recommend.
    "smollm2-135m": Profile((), Sampling(temperature=0.2, max_tokens=512, repeat_penalty=1.1)),
}


def profile_of(model: str) -> Profile:
    """The profile of a model by its name."""
    name = model.lower()
    return next((profile for part, profile in _BY_NAME.items() if part in name), Profile())


def values_of(model: str) -> tuple[str, dict[str, Any]]:
    """The name of a model's profile, empty when it has none, and what it sets, by the settings' keys."""
    name = next((part for part in _BY_NAME if part in model.lower()), "")
    profile, default = profile_of(model), msgspec.structs.asdict(Sampling())
    own = msgspec.structs.asdict(profile.sampling)
    values = {f"sampling.{key}": value for key, value in own.items() if value != default[key]}
    return name, values if profile.tools is None else values | {"tools": profile.tools}


def merged(settings: Settings, profile: Profile) -> Sampling:
    """The settings' values where the person set them, else the profile's."""
    own = msgspec.structs.asdict(settings.sampling)
    given = {name: value for name, value in own.items() if f"sampling.{name}" in settings.given}
    return msgspec.structs.replace(profile.sampling, **given)
