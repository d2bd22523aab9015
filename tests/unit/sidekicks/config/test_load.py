"""A text is a configuration, or says what is wrong with it and where."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidekicks.config.load import agent_place, load
from sidekicks.config.schema import Config
from sidekicks.models import Problem

CASES = json.loads((Path(__file__).parents[3] / "data/config_cases.json").read_text("utf-8"))["cases"]
PLAIN = {"PATH": "/usr/bin:/bin", "HOME": "/home/me"}


def problems(text: str, folder: Path = Path("/nowhere")) -> list[Problem]:
    loaded = load(text, folder, PLAIN)
    assert (loaded.config is None) == bool(loaded.problems)
    return [*loaded.problems, *loaded.warnings]


def config(text: str, folder: Path = Path("/nowhere"), environment: dict[str, str] = PLAIN) -> Config:
    loaded = load(text, folder, environment)
    assert loaded.problems == ()
    assert loaded.config is not None
    return loaded.config


def agent(lines: str) -> str:
    return "agents:\n  - name: mm\n    command: mm\n" + "".join(
        f"    {line}\n" for line in lines.splitlines()
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    found = problems(case["text"])
    for expected in case["problems"]:
        [problem] = [
            problem
            for problem in found
            if (problem.line, problem.column) == (expected["line"], expected["column"])
            and all(word.lower() in problem.message.lower() for word in expected["says"])
        ]
        assert problem.warning == expected["warning"]
        found.remove(problem)
    if not case["problems"]:
        assert found == []


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("", 1, 1, "empty"),
        ("# nothing\n", 1, 1, "empty"),
        ("agents:\n", 1, 8, "list"),
        ("theme: dark\n", 1, 1, "`agents`"),
        ("agents: []\nlimits: {maxRunningAgents: '4'}\n", 2, 28, "whole number"),
        ("agents: []\nlimits: {maxRunningAgents: 65}\n", 2, 28, "64"),
        ("agents: []\nlimits: {maxRunningAgents: 0x10}\n", 2, 28, "number"),
        ("agents: []\nlimits: {stopIdleAgentsAfter: 10}\n", 2, 31, "30s"),
        ("agents: []\nTheme: dark\n", 2, 1, "did you mean `theme`?"),
        ("agents: []\ntheme: drak\n", 2, 8, "did you mean `dark`?"),
        ("agents: [1]\n", 1, 10, "an agent must be a mapping with `name` and `command`, not text"),
        ("agents:\n  - name: 'a\n", 2, 11, "never closed"),
        ("agents: [\n", 2, 1, "not closed"),
        ("agents: [a\n", 1, 9, "`[` is never closed"),
        ("agents:\n  - name: a\n    command: @x\n", 3, 14, "`@`"),
        ("agents:\n  - name: a: b\n", 2, 12, "quotes"),
        ("agents:\n  - name: a\n   command: x\n", 3, 4, "indentation"),
        ("agents: []\n---\nagents: []\n", 2, 1, "one document"),
        ("agents: *all\n", 1, 9, "&all"),
        ("agents: !secret []\n", 1, 9, "!secret"),
        ("agents: []\nx: \x07\n", 2, 4, "U+0007"),
        ("agents: []\nx: \0\n", 2, 4, "U+0000"),
        ("agents: []\nx: \ud83e\n", 2, 4, "U+D83E"),
        ("agents:\n\t- name: a\n", 2, 1, "tab"),
        ("# a\r# b\r\nx: \u2028\n", 3, 4, "U+2028"),
        ("agents: []\rtheme: @\r", 2, 8, "`@`"),
        ("agents: []\ndescri", 2, 1, "needs a `:`"),
        (agent("name: b"), 4, 5, "already given in line 2"),
        (agent("env: [a]"), 4, 10, "mapping"),
        (agent("env: {A: [x]}"), 4, 14, "text"),
        (agent("args:\n  - [x]"), 5, 9, "each item of `args` must be text"),
        (agent('title: "a\\0b"'), 4, 12, "U+0000"),
        (agent("mcpServers: [{name: x}]"), 4, 18, "`command`"),
        (agent("mcpServers: [{name: x, type: http}]"), 4, 18, "`url`"),
        (agent("mcpServers: [{name: x, command: y, env: [{name: A}]}]"), 4, 46, "`value`"),
        (agent("startTimeout: 0"), 4, 19, "`30s` or `2m`"),
        (agent("startTimeout: 30"), 4, 19, "`30s` or `2m`"),
        (agent("startTimout: 30s"), 4, 5, "did you mean `startTimeout`?"),
        ("? [a]\n: b\nagents: []\n", 1, 3, "key"),
        ("agents: []\n<<: 3\n", 2, 5, "alias"),
        ("agents: []\ntheme: " + "[" * 60 + "]" * 60, 2, 58, "deep"),
    ],
)
def test_says_what_is_wrong_and_where(text: str, line: int, column: int, says: str) -> None:
    [problem] = problems(text)
    assert (problem.line, problem.column) == (line, column)
    assert says in problem.message


@pytest.mark.parametrize(
    "text",
    [
        "\ufefftheme: dark\nagents: []\n",
        "theme: dark\r\nagents: []\r\n",
        "theme: dark\ragents: []\r",
        "--- # a comment\ntheme: dark\nagents: []\n...\n",
        "%YAML 1.2\n---\ntheme: dark\nagents: []\n",
        '{"theme": "dark", "agents": []}',
        "theme:\tdark\nagents:\t[]\t# tabs between, not before\n",
        f"theme: dark\nagents: []\n# {'x' * 500_000}\n",
        "theme: dark\nagents:\n- {name: a, command: mm, title: '"
        + "é🤖" * 50
        + "'}\n- {name: b, command: mm, description: '"
        + "x" * 200_000
        + "'}\n",
    ],
    ids=["mark", "CRLF", "CR", "document", "version", "JSON", "tabs", "long comment", "long text"],
)
def test_ways_of_writing_that_are_fine(text: str) -> None:
    assert config(text).theme == "dark"
    assert problems(text) == []


def test_a_misspelt_key_is_not_also_missing() -> None:
    [problem] = problems("agents:\n  - name: a\n    comand: x\n")
    assert "did you mean `command`?" in problem.message


def test_problems_come_in_the_order_of_the_text() -> None:
    found = problems("limit: {}\nagents: [{name: A}]\ntheme: x\n")
    assert [problem.line for problem in found] == [1, 2, 2, 3]


def test_what_is_not_given_has_its_default() -> None:
    found = config("agents: []")
    assert (found.theme, found.language, found.agents) == ("system", "system", ())
    assert (found.limits.max_running_agents, found.limits.stop_idle_agents_after) == (4, 600.0)


@pytest.mark.parametrize(("written", "seconds"), [("30s", 30), ("10m", 600), ("2h", 7200), ("0", 0)])
def test_durations_are_seconds(written: str, seconds: float) -> None:
    assert (
        config(f"agents: []\nlimits: {{stopIdleAgentsAfter: {written}}}").limits.stop_idle_agents_after
        == seconds
    )


def test_a_text_stays_as_it_is_written() -> None:
    [found] = config(
        "agents: [{name: on, title: 010, description: ~, command: yes, args: [1, 1.50, true, null]}]"
    ).agents
    assert (found.name, found.title, found.description, found.command) == ("on", "010", "~", "yes")
    assert found.args == ("1", "1.50", "true", "null")


def test_numbers_in_env_are_text() -> None:
    assert config(agent("env: {A: 1, B: 0x10, C: }")).agents[0].env == {"A": "1", "B": "0x10", "C": ""}


def test_variables_are_replaced_from_the_environment() -> None:
    [found] = config(agent("env: {A: '${X}-${X}', B: '${UNSET}', C: $X}"), environment={"X": "x"}).agents
    assert found.env == {"A": "x-x", "B": "", "C": "$X"}


def test_variables_of_arguments() -> None:
    text = agent("args: ['${X}/${OWN}', '$${X}', 'for f in ${f}', $X]\nenv: {OWN: '${X}y', X: mine}")
    loaded = load(text, Path("/nowhere"), {"X": "x"})
    assert loaded.config is not None
    [found] = loaded.config.agents
    assert found.args == ("mine/xy", "${X}", "for f in ${f}", "$X")
    assert [(warning.line, warning.column) for warning in loaded.warnings] == [(4, 36)]
    assert "`f` is not set" in loaded.warnings[0].message


def test_a_variable_that_is_meant_as_it_stands() -> None:
    [found] = config(agent("env: {A: '$${X} $$${X} ${X}'}"), environment={"X": "x"}).agents
    assert found.env == {"A": "${X} $${X} x"}


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    text = "agents: [{name: a, command: ./run.sh, cwd: ~, icon: a.png, env: {A: ./x, B: x/y, C: ~/z}}]"
    [found] = config(text, tmp_path).agents
    assert found.command == str(tmp_path / "run.sh")
    assert found.cwd == str(tmp_path / "home")
    assert found.icon == str(tmp_path / "a.png")
    assert found.env == {"A": str(tmp_path / "x"), "B": "x/y", "C": str(tmp_path / "home/z")}


def test_an_emoji_is_no_path() -> None:
    assert config(agent("icon: 🤖")).agents[0].icon == "🤖"
    assert problems(agent("icon: 🤖")) == []


def test_mcp_servers_are_what_a_session_takes() -> None:
    text = agent(
        "mcpServers:\n  - {name: a, command: x, args: [1], env: {K: 2}}\n  - {name: b, type: http, "
        "url: 'http://h/${P}', headers: [{name: H, value: v}]}"
    )
    assert config(text, environment={"P": "p"}).agents[0].mcp_servers == (
        {"name": "a", "command": "x", "args": ["1"], "env": [{"name": "K", "value": "2"}]},
        {"type": "http", "name": "b", "url": "http://h/p", "headers": [{"name": "H", "value": "v"}]},
    )


@pytest.mark.parametrize(
    ("lines", "line", "column", "says"),
    [
        ("cwd: ./none", 4, 10, "./none"),
        ("icon: none.png", 4, 11, "none.png"),
        ("cwd: ${NONE}/x", 4, 10, "NONE"),
        ("mcpServers: [{name: a, command: b, env: {K: '${NONE}'}}]", 4, 49, "NONE"),
        ("mcpServers: [{name: a, command: b, env: [{name: K, value: '${NONE}'}]}]", 4, 63, "NONE"),
    ],
)
def test_what_is_not_there_is_a_warning(lines: str, line: int, column: int, says: str) -> None:
    found = [problem for problem in problems(agent(lines)) if says in problem.message]
    assert [(problem.line, problem.column, problem.warning) for problem in found[:1]] == [
        (line, column, True)
    ]


def test_a_command_is_looked_up_on_the_path_of_its_env(tmp_path: Path) -> None:
    program = tmp_path / "special-agent"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    text = "agents: [{name: a, command: special-agent, env: {PATH: '%s'}}]"
    assert problems(text % tmp_path) == []
    assert [problem.warning for problem in problems(text % "/nowhere")] == [True]


def test_aliases_and_merges() -> None:
    text = (
        "agents:\n  - &a\n    name: one\n    command: mm\n    args: &x [--acp]\n"
        "  - <<: *a\n    name: two\n  - {name: three, command: mm, args: *x}\n"
    )
    assert [(agent.name, agent.args) for agent in config(text).agents] == [
        ("one", ("--acp",)),
        ("two", ("--acp",)),
        ("three", ("--acp",)),
    ]


def test_a_problem_with_an_alias_is_where_it_is_used() -> None:
    [problem] = problems("agents:\n  - {name: &n [], command: mm}\n".replace("[]", "one") + "limits: *n\n")
    assert (problem.line, problem.column) == (3, 9)


HOSTILE = {
    "laughs": "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10) if n else 'x'}]\n" for n in range(12))
    + "agents: *a11\n",
    "merges": "".join(
        f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 10) if n else ''}], k{n}: 1}}\n" for n in range(12)
    ),
    "chain": "".join(f"a{n}: &a{n} {{{f'<<: *a{n - 1},' if n else ''} k{n}: 1}}\n" for n in range(3_000)),
    "itself": "agents: &a [*a, {name: x, command: mm, args: *a, <<: *a}]\n&b b: &c {<<: *c, x: *c}\n",
    "agents": "agents:\n- &a {name: x, command: mm, args: &b [" + "x," * 900 + "]}\n" + "- *a\n" * 20_000,
    "deep": "[" * 200_000,
    "deep block": "\n".join(" " * n + "a:" for n in range(900)),
    "braces": "{a: " * 5_000,
    "long": "x" * 2_000_000,
    "variables": agent("title: '" + "${X}" * 200_000 + "'"),
    "aliases": "agents:\n- &a {name: x, command: mm, env: {"
    + ",".join(f"A{n}: '${{N}}'" for n in range(5_000))
    + "}}\n"
    + "- *a\n" * 400,
    "servers": "agents:\n- name: x\n  command: mm\n  mcpServers:\n  - &a {name: x, command: mm, env: {"
    + ",".join(f"A{n}: '${{N}}'" for n in range(900))
    + "}}\n"
    + "  - *a\n" * 90
    + "".join(f"- {{name: y{n}, command: y, mcpServers: [{','.join(['*a'] * 90)}]}}\n" for n in range(400)),
    "keys": "".join(f"k{n}: 1\n" for n in range(30_000)),
    "quotes": '"' * 50_000,
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_refused_at_once(text: str) -> None:
    found = problems(text)
    assert 0 < len(found) <= 200


@pytest.mark.parametrize(
    "text", ["agents: [" + "a," * 100_001 + "]", HOSTILE["chain"]], ids=["list", "merges"]
)
def test_too_many_values_are_refused(text: str) -> None:
    [problem] = problems(text)
    assert problem.message == "more than 100000 values"


VALID = Path(__file__).with_name("valid.yaml").read_text("utf-8")


@pytest.mark.parametrize("text", ["agents: &a [*a]", "agents: []\nx: &b {<<: *b}"])
def test_an_alias_inside_of_what_it_names(text: str) -> None:
    [problem] = problems(text)
    assert "stands inside of" in problem.message
    assert text.splitlines()[problem.line - 1][problem.column - 1] == "*"


def test_the_sample_is_valid() -> None:
    assert len(config(VALID).agents) == 3


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="\t\n -:[]{}&*!|>'\"%@`#,?~<0aé\r\x85\u2028")))
def test_any_text_has_a_place_or_is_valid(text: str) -> None:
    for problem in problems(text):
        assert problem.line >= 1
        assert problem.column >= 1


def test_loading_imports_no_jsonschema() -> None:
    code = (
        "import sys, pathlib; from sidekicks.config.load import load; load('agents: []', pathlib.Path());"
        "print([name for name in ('jsonschema', 'watchfiles', 'PySide6') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize(
    ("line", "expected"), [("", 30), ("startTimeout: 45s", 45), ("startTimeout: 2m", 120)]
)
def test_how_long_an_agent_may_take_to_start(line: str, expected: float) -> None:
    assert config(agent(line)).agents[0].start_timeout == expected


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("agents:\n  - name: bob\n    command: x\n", (2, 11)),
        ('agents:\n  - {"command": "x", "name": "bob"}\n', (2, 30)),
        (
            "agents:\n  - name: ada\n    command: x\n    mcpServers:\n    - name: bob\n",
            None,
        ),
        ("agents: [\n", None),
        ("", None),
    ],
)
def test_where_an_agent_stands(text: str, place: tuple[int, int] | None) -> None:
    assert agent_place(text, "bob") == place
