"""What a person is told once in a session: something is set so that it will hurt, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from minime_agent.config.settings import Settings
from minime_agent.engine.profile import ENOUGH_TO_REASON, Profile
from minime_agent.engine.providers import Endpoint
from minime_agent.ui.events import Notice, Sink, UsageReport

_LEAST = 2_000
"""Tokens of a prompt from which a count that is far too low means something."""
_CUT = 0.5
"""The share of the estimate below which a server has not read the whole prompt; estimates are 40 % high."""


async def give(sentences: Iterable[str], given: set[str], sink: Sink) -> None:
    """Says each of them once; `given` are those that were said."""
    for sentence in sentences:
        if sentence not in given:
            given.add(sentence)
            await sink.emit(Notice(sentence, "warning"))


def at_start(profile: Profile, settings: Settings) -> Iterator[str]:
    """What can be said before the first request."""
    limit = settings.sampling.max_tokens
    if profile.reasoning and limit < ENOUGH_TO_REASON:
        yield (
            f"max_tokens is {limit}, and this model's reasoning is paid from it: its answers may be cut; "
            "16384 is a good value for sampling.max_tokens"
        )


def of_window(endpoint: Endpoint, window: int, prompt: int, *, compacts: bool) -> Iterator[str]:
    """About the context window; `prompt` is what every request costs before the first question, in tokens."""
    is_local = not endpoint.base_url.startswith("https:")
    if not window and compacts and is_local:
        yield (
            f"nobody says how large the context window of {endpoint.model} is, so room in it may be made too "
            f"late: {_TOLD_BY.get(endpoint.provider.name, _ELSE)}"
        )
    if window and prompt > window / 2:
        yield (
            f"instructions and tools take {prompt} of the window's {window} tokens: serve the model with a "
            "larger window, or offer fewer tools (--tools bash,edit)"
        )


def of_count(endpoint: Endpoint, usage: UsageReport, estimate: int) -> Iterator[str]:
    """About a server that has read less than it was sent, without a word."""
    read = usage.prompt_tokens + usage.cached_tokens
    if usage.prompt_tokens and estimate > _LEAST and read < estimate * _CUT:
        fix = _WIDER.get(endpoint.provider.name, "serve the model with a larger window")
        yield (
            f"the server read {usage.prompt_tokens} of some {estimate} tokens: it cuts what is too long "
            f"without saying so; {fix}"
        )


_WIDER = {"ollama": "start it with OLLAMA_CONTEXT_LENGTH=16384, its default is 4096"}
_TOLD_BY = {
    "dmr": "set it with `docker model configure --context-size N MODEL`, or contextWindow in mm's settings",
    "ollama": "`ollama ps` tells it; set contextWindow in mm's settings",
    "lmstudio": "LM Studio shows it beside the loaded model; set contextWindow in mm's settings",
}
_ELSE = "set contextWindow in mm's settings"
