"""Edits of a valid file by one character: each is a problem with a place inside of the file, or a valid file.

A short run here; `SIDEKICKS_FUZZ=200000 pytest tests/unit/sidekicks/config/test_fuzz.py` does as many edits.
`SIDEKICKS_FUZZ_SEED` gives other ones.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidekicks.config.load import load
from sidekicks.config.locate import UnreadableError, default_text, read

EDITS = int(os.environ.get("SIDEKICKS_FUZZ", "900"))
SEED = int(os.environ.get("SIDEKICKS_FUZZ_SEED", "1"))
SOURCES = [Path(__file__).with_name("valid.yaml").read_text("utf-8"), default_text()]
# What means something in YAML, what ends lines, what no editor shows, what only looks like something else.
CHARACTERS = (
    "\t\n\r -:[]{}&*!|>'\"%@`#,?~<.$\\=/0aZ_"
    "\0\x07\x0b\x7f\x85\xa0\xad\u2028\u2029\u200b\u202e\ufeff\ufffe\ud800\udfffé🤖\U0010ffff"
)
LINE_END = re.compile("\r\n|[\n\r]")  # as editors count lines


def edits(count: int) -> Iterator[str]:
    """Texts that differ from a valid one by one character: taken out, put in, replaced, moved or doubled."""
    chance = random.Random(SEED)
    for number in range(count):
        text = SOURCES[number % len(SOURCES)]
        if number % 7 == 0:
            text = text.replace("\n", "\r\n")
        at = chance.randrange(len(text))
        character = chance.choice(CHARACTERS) if chance.random() < 0.8 else chr(chance.randrange(0x11_0000))
        yield chance.choice(
            [
                text[:at] + text[at + 1 :],
                text[:at] + character + text[at:],
                text[:at] + character + text[at + 1 :],
                text[:at] + text[at : at + 2][::-1] + text[at + 2 :],
                text[:at] + text[at] * 2 + text[at + 1 :],
                text[:at],
            ]
        )


@pytest.mark.timeout(60 + EDITS)
def test_every_edit_is_valid_or_has_a_place_inside_of_the_file(tmp_path: Path) -> None:
    for text in edits(EDITS):
        loaded = load(text, tmp_path, {})
        assert (loaded.config is None) == bool(loaded.problems), repr(text)
        lines = LINE_END.split(text)
        for problem in (*loaded.problems, *loaded.warnings):
            assert 1 <= problem.line <= len(lines), (problem, text)
            assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1, (problem, text)
            assert problem.message


@pytest.mark.timeout(60 + EDITS)
def test_every_byte_of_a_file_too(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    chance = random.Random(SEED)
    good = SOURCES[0].encode()
    for _ in range(EDITS // 3):
        at = chance.randrange(len(good))
        data = good[:at] + bytes([chance.randrange(256)]) + good[at + chance.randrange(2) :]
        path.write_bytes(data)
        try:
            loaded = load(read(path), tmp_path, {})
            found = [*loaded.problems, *loaded.warnings]
            assert (loaded.config is None) == bool(loaded.problems), data
        except UnreadableError as error:
            found = [error.problem]
        lines = LINE_END.split(data.decode("utf-8", "replace"))
        for problem in found:
            assert 1 <= problem.line <= len(lines), (problem, data)
            assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1, (problem, data)
