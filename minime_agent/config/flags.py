"""The flags that set settings, the same for a conversation and for `mm config`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from minime_agent.config.load import Layers


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Adds them to a command line."""
    parser.add_argument("--provider", help="auto, llamacpp, dmr, ollama, lmstudio, openai or embedded")
    parser.add_argument("--base-url", metavar="URL", help="where the model server answers, up to /v1")
    parser.add_argument("--model", help="the model's name (default: the server's first)")
    parser.add_argument(
        "--tools",
        metavar="NAMES",
        help="the tools: read,bash; or --tools=+grep,-plan, added to the usual",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="the settings file")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any setting, such as sampling.top_k=20; `mm config show` lists them",
    )


def set_by(options: argparse.Namespace, environment: Mapping[str, str]) -> Layers:
    """What the file, the environment and these flags set; raises `ConfigError` for an unreadable file."""
    from minime_agent.config.load import layers

    named = {
        "provider": options.provider,
        "baseURL": options.base_url,
        "model": options.model,
        "tools": options.tools,
    }
    flags = {key: value for key, value in named.items() if value is not None}
    return layers(flags, environment, options.config, options.set)
