from __future__ import annotations

from pathlib import Path

import pytest

from minime_agent.embedded.engine import tool_template
from minime_agent.embedded.errors import EmbeddedError
from minime_agent.embedded.gguf import read_header
from tests.embedded_model import gguf_bytes


def test_reads_what_lies_behind_the_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    path.write_bytes(gguf_bytes(template="<|im_start|>", context=4096))

    header = read_header(path)

    assert (header.architecture, header.context, header.chat_template) == ("llama", 4096, "<|im_start|>")


@pytest.mark.parametrize("length", [8, 30, 100, 150])
def test_a_file_cut_short_is_named(tmp_path: Path, length: int) -> None:
    path = tmp_path / "small.gguf"
    path.write_bytes(gguf_bytes()[:length])

    with pytest.raises(EmbeddedError, match=r"small\.gguf is damaged or cut short: fetch it again"):
        read_header(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 a zip file", b"GG"])
def test_another_kind_of_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)

    with pytest.raises(EmbeddedError, match=r"notes\.txt is not a GGUF model file"):
        read_header(path)


def test_an_absurd_length_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    data = bytearray(gguf_bytes())
    data[24:32] = (2**62).to_bytes(8, "little")  # the length of the first key
    path.write_bytes(data)

    with pytest.raises(EmbeddedError, match="damaged"):
        read_header(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match="Cannot read the model file"):
        read_header(tmp_path / "none.gguf")


def test_only_chatml_without_tools_gets_another_template() -> None:
    assert "<tool_call>" in tool_template("<|im_start|>{{ messages }}")
    assert tool_template("<|im_start|>{% if tools %}…{% endif %}") == ""
    assert tool_template("[INST] {{ messages }} [/INST]") == ""
    assert tool_template("") == ""
