from __future__ import annotations

from pathlib import Path

import pytest

from minime_agent.cli import run
from minime_agent.config.check import ConfigError, convert
from minime_agent.skills.discover import Skills
from minime_agent.tools.selection import BUILT_IN
from minime_agent.tools.toolbox import select

NONE = Skills({})

USUAL = ["bash", "edit_file", "plan", "read_file", "write_file"]


def names(*words: str, **settings: bool) -> list[str]:
    return select(convert({"tools": list(words), **settings}), NONE).names


def test_the_switches_make_the_usual_choice() -> None:
    assert select(convert({}), NONE).names == USUAL
    assert select(convert({"editTools": False, "planTool": False}), NONE).names == ["bash"]
    assert select(convert({}), NONE, ("bash",)).names == ["bash"]


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        (["read", "bash"], ["bash", "read_file"]),
        (["+grep", "-plan"], ["bash", "edit_file", "grep", "read_file", "write_file"]),
        (["-write", "-edit"], ["bash", "plan", "read_file"]),
        (["*_file", "-write_file"], ["edit_file", "read_file"]),
        (["mcp__github__*"], []),
        (["+mcp__github__*"], USUAL),
        ([], []),
        ([" read ", " +ls"], ["ls", "read_file"]),
    ],
)
def test_words_choose(words: list[str], chosen: list[str]) -> None:
    assert names(*words) == chosen


def test_all_can_be_had() -> None:
    assert names("*") == sorted(set(BUILT_IN) - {"lsp", "read_skill"})  # neither a server nor a skill


def test_what_is_named_is_there_whatever_the_switch_says() -> None:
    assert names("bash", bashTool=False) == ["bash"]


def test_a_model_s_own_choice_is_changed_like_the_usual_one() -> None:
    assert select(convert({"tools": ["+bash"]}), NONE, ()).names == ["bash"]


@pytest.mark.parametrize("word", ["grpe", "+grpe", "-grpe"])
def test_an_unknown_name_is_told_with_its_neighbours(word: str) -> None:
    with pytest.raises(ConfigError, match=r"no tool 'grpe' \(did you mean grep\?\); there are bash, "):
        names(word)
    with pytest.raises(ConfigError, match="there is no tool 'zz\\*'; there are"):
        names("zz*")


def test_the_command_line_says_it_before_anything_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MM_CONFIG", str(tmp_path / "agent.yaml"))
    (tmp_path / "agent.yaml").write_text("tools: [raed]\n")
    assert run(["-p", "x"]) == 2
    assert "agent.yaml:1: tools: there is no tool 'raed' (did you mean read?)" in capsys.readouterr().err
    assert run(["config", "check"]) == 1
    assert "agent.yaml:1: tools: there is no tool 'raed'" in capsys.readouterr().err
    assert run(["-p", "x", "--tools", "bsah"]) == 2
    assert "there is no tool 'bsah' (did you mean bash?)" in capsys.readouterr().err
