"""`mm config` and the flags of settings, as a person runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import RunMm
from tests.scripted_model import ScriptedModel


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "agent.yaml"


async def test_check_lists_all_that_is_wrong(run_mm: RunMm, config: Path) -> None:
    config.write_text("modle: x\nmaxTurns: 0\nsampling:\n  top_p: 2\n")
    ran = await run_mm("config", "check", str(config), MM_PROVIDER="of the environment: not asked")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"{config}, line 1: modle: there is no such setting (did you mean model?)\n"
        f"{config}, line 2: maxTurns: expected a whole number of at least 1, got 0\n"
        f"{config}, line 4: sampling.top_p: expected a number of at most 1.0, got 2\n"
    )


async def test_check_of_what_is_in_force(run_mm: RunMm, config: Path) -> None:
    config.write_text("model: x\n")
    ran = await run_mm("config", "check", str(config))
    assert (ran.code, ran.out, ran.err) == (0, f"{config}: no problems\n", "")
    ran = await run_mm("config", "check", MM_CONFIG=str(config), MM_MAX_TURNS="x")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "environment variable MM_MAX_TURNS: expected a whole number, got text\n"
    ran = await run_mm("config", "check")
    assert ran.code == 0
    assert ran.out.startswith("there is no settings file; it would be ")
    ran = await run_mm("config", "check", "missing.yaml")
    assert (ran.code, ran.err) == (1, "missing.yaml: there is no such file\n")


async def test_show_says_where_each_value_comes_from(run_mm: RunMm, config: Path) -> None:
    config.write_text("# mine\nmodel: SmolLM2-135M\nsampling:\n  top_p: 0.5\n  top_k: 3\n")
    ran = await run_mm(
        *(
            "config",
            "show",
            "--config",
            str(config),
            "--set",
            "sampling.top_k=20",
            "--base-url",
            "http://x/v1",
        ),
        MM_MAX_TURNS="7",
        OPENAI_API_KEY="secret",
    )
    assert (ran.code, ran.err) == (0, "")
    assert "secret" not in ran.out
    rows = dict(tuple(part.strip() for part in line.split("  # ")) for line in ran.out.splitlines())
    assert rows["model: SmolLM2-135M"] == f"{config}:2"
    assert rows["sampling.top_p: 0.5"] == f"{config}:4"
    assert rows["sampling.top_k: 20"] == "--set sampling.top_k"
    assert rows["sampling.temperature: 0.2"] == "profile smollm2-tiny"
    assert rows["maxTurns: 7"] == "environment MM_MAX_TURNS"
    assert rows["baseURL: http://x/v1"] == "--base-url"
    assert rows["context.threshold: 0.75"] == "default"
    assert rows["firstTokenTimeout: 180s"] == "default"
    assert rows["apiKey: (set)"] == "environment OPENAI_API_KEY"


async def test_show_with_a_mistake_says_what_is_wrong(run_mm: RunMm) -> None:
    ran = await run_mm("config", "show", "--set", "modle=x")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "--set: modle: there is no such setting (did you mean model?)\n"


async def test_a_setting_of_one_run(run_mm: RunMm) -> None:
    async with ScriptedModel() as server:
        ran = await run_mm(
            "-p", "hi", "--base-url", server.url, "--set", "sampling.top_k=20", MM_TEMPERATURE="0.7"
        )
    assert ran.code == 0
    assert (server.chats[0]["top_k"], server.chats[0]["temperature"]) == (20, 0.7)


async def test_all_mistakes_are_told_before_anything_runs(run_mm: RunMm, config: Path) -> None:
    config.write_text("maxTurns: x\nfoo: 1\n")
    ran = await run_mm("-p", "hi", "--config", str(config))
    assert ran.code == 2
    assert [line.partition(", ")[2] for line in ran.err.splitlines()] == [
        "line 1: maxTurns: expected a whole number, got text",
        "line 2: foo: there is no such setting",
    ]
    assert all(line.startswith(f"mm: {config}") for line in ran.err.splitlines())
