"""Tokens of a request in o200k, the measure that the bound of mm's first request is given in."""

from __future__ import annotations

import json

from rs_bpe.bpe import openai

_MOST = 2_000
"""Characters that the encoder takes at once."""


def count(request: object) -> int:
    """The tokens of a part of a request, as compact JSON."""
    text = json.dumps(request, separators=(",", ":"), ensure_ascii=False)
    encoding = openai.o200k_base()
    return sum(encoding.count(text[at : at + _MOST]) for at in range(0, len(text), _MOST))
