"""Edits of a valid settings file by one character: each is valid, or a problem with a place in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_agent.config.check import ConfigError
from minime_agent.config.load import load

VALID = """\
# of mine
provider: &p openai
model: "qwen3: 8b"
baseURL: http://127.0.0.1:8080/v1
sampling: {temperature: 0.5, top_k: 20, seed: null}
tools: [bash, read_file]
systemPrompt: |
  two
  lines
firstTokenTimeout: 3m
context:
  threshold: 0.8
  mask: no
systemPromptAppend: *p
"""
SIGNS = "\t\n \0\x07\x85\ufeff\ufffeé🙂:-?,[]{}#&*!|>'\"%@`~<=01.eyn_\\"


def edits() -> Iterator[str]:
    for at in range(len(VALID)):
        yield VALID[:at] + VALID[at + 1 :]
        for sign in SIGNS:
            yield VALID[:at] + sign + VALID[at:]
            yield VALID[:at] + sign + VALID[at + 1 :]


def check(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        load({}, {}, path)
    except ConfigError as error:
        for line in str(error).splitlines():
            found = re.match(rf"{re.escape(str(path))}, line (\d+): (?s:.+)", line)
            assert found, line
            assert 1 <= int(found[1]) <= data.count(b"\n") + 2


def test_every_edit_is_valid_or_has_a_place(tmp_path: Path) -> None:
    load({}, {}, _written(tmp_path / "valid.yaml"))
    for number, text in enumerate(edits()):
        if number % 13 == 0:
            check(tmp_path / "agent.yaml", text.encode("utf-8", "surrogatepass"))


def test_every_byte_that_is_no_text_has_a_place(tmp_path: Path) -> None:
    data = VALID.encode()
    for at in range(0, len(data), 7):
        check(tmp_path / "agent.yaml", data[:at] + b"\xff" + data[at:])


@given(st.text(alphabet=st.sampled_from("ab:-?,[]{}#&*!|>'\"%@ \n~<=1.\tmodel"), max_size=40))
def test_any_text_is_valid_or_has_a_place(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    check(tmp_path_factory.getbasetemp() / "any.yaml", text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000,
        "a: " + "{a: " * 3000,
        "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a]\n" for n in range(50)),
        "\n".join(["x0: &x0 [1]", *(f"x{n}: &x{n} [*x{n - 1}, *x{n - 1}]" for n in range(1, 60))]),
        "tools: &t [*t]",
        "<<: 3\nmodel: x",
        "sampling: &s {top_k: x, <<: *s}",
    ],
)
def test_hostile_text_is_refused_at_once(tmp_path: Path, text: str) -> None:
    path = tmp_path / "agent.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"line [12]: "):
        load({}, {}, path)


def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    path.write_bytes(b"#" * 1_000_001)
    with pytest.raises(ConfigError, match="larger than 1000000 bytes"):
        load({}, {}, path)


def _written(path: Path) -> Path:
    path.write_text(VALID)
    return path
