from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from minime_agent.config.check import ConfigError
from minime_agent.config.load import load


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "agent.yaml"


def test_layers(config: Path) -> None:
    config.write_text("model: file\nprovider: ollama\nbaseURL: http://file/v1\nmaxTurns: 7\n")
    environment = {
        "MM_MODEL": "environment",
        "MM_BASE_URL": "http://environment/v1",
        "MM_CONFIG": str(config),
    }
    settings = load({"model": "flag"}, environment)
    assert (settings.model, settings.base_url, settings.provider, settings.max_turns) == (
        "flag",
        "http://environment/v1",
        "ollama",
        7,
    )


def test_every_kind_of_value(config: Path) -> None:
    config.write_text(
        "sampling: {temperature: 0.5, top_k: 20, max_tokens: 100}\n"
        "firstTokenTimeout: 3m\nwatchdogTimeout: 45\nguards: {loop: false}\n"
        "tools: [bash]\n"
    )
    settings = load({}, {}, config)
    assert (settings.sampling.temperature, settings.sampling.top_k) == (0.5, 20)
    assert (settings.first_token_timeout, settings.watchdog_timeout) == (180.0, 45.0)
    assert settings.tools == ("bash",)
    assert not settings.guards.loop


def test_empty_file_is_no_settings(config: Path) -> None:
    config.write_text("# nothing yet\n")
    assert load({}, {}, config) == load({}, {"MM_CONFIG": str(config)})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("provider: llamacpp\nmodle: x\n", "line 2: modle: there is no such setting (did you mean model?)"),
        (
            "sampling:\n  max_token: 5\n",
            "line 2: sampling.max_token: there is no such setting (did you mean max_tokens?)",
        ),
        ("a: 1\nsampling:\n  top_p: high\n", "line 1: a: there is no such setting"),
        ("sampling:\n  top_p: high\n", "line 2: sampling.top_p: expected a number or null, got text"),
        ("maxTurns: many\n", "line 1: maxTurns: expected a whole number, got text"),
        (
            "provider: olama\n",
            "lmstudio, openai, embedded (did you mean ollama?)",
        ),
        (
            "\nwatchdogTimeout: soon\n",
            "line 2: watchdogTimeout: 'soon' is not a time span; write it like 180s",
        ),
        ("watchdogTimeout: 0\n", "is not a time span"),
        ("model: a\nmodel: b\n", "line 2: model: stands twice, first in line 1"),
        ("model: [a\n", "line 2: not valid YAML"),
        ("- a\n", "line 1: expected lines like `key: value`"),
        ("apiKey: x\n", "line 1: apiKey: a key does not belong in a file"),
        ("model: *x\n", "line 1: not valid YAML: found undefined alias"),
        (
            "guards:\n  thinks: false\n",
            "line 2: guards.thinks: there is no such setting (did you mean think?)",
        ),
        ("skillDir: x\n", "line 1: skillDir: there is no such setting (did you mean skillsDir?)"),
        ("bashTool: yess\n", "line 1: bashTool: expected true or false, got text"),
        ("maxTurns: 0\n", "line 1: maxTurns: expected a whole number of at least 1, got 0"),
        ("context: {threshold: 75}\n", "context.threshold: expected a number of at most 0.95, got 75"),
        ("context: 0.5\n", "line 1: context: expected keys with values, such as {enabled: …}"),
        ("model: 010\n", "line 1: model: expected text, got a whole number; put it into quotes"),
        ("\ntools: [bash, 3]\n", "line 2: tools[1]: expected text, got a whole number"),
        ("lsp:\n  python:\n    comand: x\n", "line 3: lsp.python.comand: there is no such setting (did you"),
        ("lsp:\n  python:\n    command: 3\n", "line 3: lsp.python.command: expected "),
        ("lsp:\n  python: pylsp\n", "line 2: lsp.python: expected keys with values, such as {command: …}"),
        ("lsp: 3\n", "line 1: lsp: expected keys with values, got a whole number"),
        ("model: 2026-13-45\n", "line 1: model: month must be in 1..12; text goes into quotes"),
        ("model: !secret x\n", "line 1: model: could not determine a constructor for the tag '!secret'"),
        ("? [a]\n: b\n", "line 1: a key is one word"),
        ("model: a\x07b\n", "line 1: not valid YAML: the character U+0007 is not allowed"),
        ("a: 1\n---\nb: 2\n", "line 2: not valid YAML: but found another document"),
    ],
)
def test_errors_name_file_line_and_key(config: Path, text: str, said: str) -> None:
    config.write_text(text)
    with pytest.raises(ConfigError) as error:
        load({}, {}, config)
    assert str(error.value).startswith(f"{config}, ")
    assert said in str(error.value)


def test_all_problems_are_told_in_the_order_of_the_lines(config: Path) -> None:
    text = "modle: x\nsampling:\n  seed: 2026-13-45\n  top_k: x\nmaxTurns: x\nmodel: a\nmodel: b\n"
    config.write_text(text)
    with pytest.raises(ConfigError) as error:
        load({"provider": "x"}, {"MM_MAX_TURNS": "many"}, config, ["sampling.top_p=2", "nothing"])
    assert [line.removeprefix(f"{config}, ").split(": ")[:2] for line in str(error.value).splitlines()] == [
        ["line 1", "modle"],
        ["line 3", "sampling.seed"],
        ["line 4", "sampling.top_k"],
        ["line 5", "maxTurns"],
        ["line 7", "model"],
        ["environment variable MM_MAX_TURNS", "expected a whole number, got text"],
        ["--provider", "'x' is none of auto, llamacpp, dmr, ollama, lmstudio, openai, embedded"],
        ["--set", "sampling.top_p"],
        ["--set", "nothing"],
    ]


def test_anchors_aliases_and_merges(config: Path) -> None:
    config.write_text("sampling: &s {top_k: 3}\nmodel: &m qwen\nsystemPrompt: *m\n")
    settings = load({}, {}, config)
    assert (settings.system_prompt, settings.sampling.top_k) == ("qwen", 3)
    config.write_text("context: &c {mask: *c}\n")
    with pytest.raises(ConfigError, match=r"line 1: context\.mask: "):
        load({}, {}, config)


def test_any_key_can_be_assigned(config: Path) -> None:
    config.write_text("sampling: {top_k: 3, top_p: 0.5}\ntools: [bash]\n")
    settings = load(
        {}, {}, config, ["sampling.top_k=20", "tools=bash, plan", "context.mask=false", "model=7"]
    )
    assert (settings.sampling.top_k, settings.sampling.top_p) == (20, 0.5)
    assert (settings.tools, settings.context.mask, settings.model) == (("bash", "plan"), False, "7")
    assert load({}, {}, config, ["tools=null", "sampling.top_p=null"]).tools is None
    assert load({}, {}, config, ["tools="]).tools == ()
    assert load({}, {}, config, ["firstTokenTimeout=5m"]).first_token_timeout == 300
    assert load({}, {}, config, ['tools=["plan"]']).tools == ("plan",)
    assert load({}, {}, config, ['sampling={"top_k": 9}']).sampling.top_p == 0.5
    assert load({}, {}, config, ['lsp={"go": {"command": "gopls"}}']).lsp["go"].arguments == ("gopls",)


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("maxTurns=x", "maxTurns: expected a whole number, got text"),
        ("maxTurns", "maxTurns: expected key=value, such as maxTurns=20"),
        ("sampling=3", "sampling: expected keys with values, such as {temperature: …}"),
        ('lsp={"go": {"command": 3}}', "lsp.go.command: expected text or a list, got a whole number"),
        ("lsp={", "lsp: expected keys with values, got text"),
        ("sampling.top_k.x=3", "sampling.top_k: expected a whole number or null, got keys with values"),
        ("apiKey=x", "apiKey: a key does not belong in a file"),
        ("given=x", "given: there is no such setting"),
        ("=3", "there is no such setting"),
    ],
)
def test_wrong_assignments_are_told(assignment: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        load({}, {}, None, [assignment])
    assert str(error.value).startswith(f"--set: {said}")


def test_what_the_person_set_is_known(config: Path) -> None:
    config.write_text("sampling: {top_k: 3}\n")
    settings = load({"model": "x"}, {"MM_MAX_TURNS": "4"}, config, ["context.mask=true"])
    assert settings.given == {"sampling.top_k", "model", "maxTurns", "context.mask"}


def test_every_variable_sets_its_key() -> None:
    values = {
        "MM_TEMPERATURE": "0.7",
        "MM_MAX_TOKENS": "9",
        "MM_TOOLS": "bash",
        "MM_FIRST_TOKEN_TIMEOUT": "7s",
    }
    settings = load({}, values | {"MM_WATCHDOG_TIMEOUT": "6", "MM_CONTEXT_WINDOW": "4096"})
    assert (settings.sampling.temperature, settings.sampling.max_tokens, settings.tools) == (
        0.7,
        9,
        ("bash",),
    )
    assert (settings.first_token_timeout, settings.watchdog_timeout, settings.context_window) == (7, 6, 4096)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load({}, {}, tmp_path / "missing.yaml")
    (tmp_path / "bad.yaml").write_bytes(b"model: caf\xe9\n")
    with pytest.raises(ConfigError, match="not UTF-8 text"):
        load({}, {}, tmp_path / "bad.yaml")


def test_wrong_flags_and_variables_are_named() -> None:
    with pytest.raises(ConfigError, match=r"^--provider: 'opnai'"):
        load({"provider": "opnai"}, {})
    with pytest.raises(ConfigError, match=r"^environment variable MM_PROVIDER: 'x'"):
        load({}, {"MM_PROVIDER": "x"})


@pytest.mark.parametrize(
    ("flags", "environment", "key"),
    [
        ({}, {"OPENAI_API_KEY": "o"}, ""),
        ({"provider": "openai"}, {"OPENAI_API_KEY": "o"}, "o"),
        ({"baseURL": "http://x/v1"}, {"OPENAI_API_KEY": "o"}, "o"),
        ({"baseURL": "http://x/v1"}, {"OPENAI_API_KEY": "o", "MM_API_KEY": "m"}, "m"),
        ({}, {"MM_API_KEY": "m"}, "m"),
    ],
)
def test_key_goes_only_where_it_was_meant_to(
    flags: dict[str, str], environment: dict[str, str], key: str
) -> None:
    assert load(flags, environment).api_key == key


def test_without_a_file_no_yaml_is_imported(tmp_path: Path) -> None:
    program = (
        "import sys; from minime_agent.config.load import load; load({}, {}); print('yaml' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "PYTHONPATH": "."},
    )
    assert run.stdout.strip() == "False", run.stderr
