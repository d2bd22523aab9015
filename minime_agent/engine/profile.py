"""What a family of models needs other than the defaults; what the settings say comes before it."""

from __future__ import annotations

import msgspec

from minime_agent.config.settings import Sampling


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


def merged(settings: Sampling, profile: Sampling) -> Sampling:
    """The settings' values where they differ from the defaults, else the profile's."""
    default, own = msgspec.structs.asdict(Sampling()), msgspec.structs.asdict(settings)
    changed = {name: value for name, value in own.items() if value != default[name]}
    return msgspec.structs.replace(profile, **changed)
