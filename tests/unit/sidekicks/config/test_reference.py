"""What `ConfigService` promises, sentence by sentence; `open` has its own tests, over a whole core."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import jsonschema
import msgspec
import pytest

from sidekicks.bus import Bus
from sidekicks.config.service import ConfigService
from sidekicks.events import ConfigChanged, Event, to_json

TEXT = "theme: dark\nlanguage: fr\nagents: [{name: one, command: no-such-program-xyz}]\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "agents.yaml"
    path.write_text(TEXT)
    return path


@pytest.fixture
def told() -> list[Event]:
    return []


@pytest.fixture
async def service(file: Path, tmp_path: Path, told: list[Event]) -> AsyncIterator[ConfigService]:
    bus = Bus()
    bus.listen(told.append)
    service = ConfigService.find(str(file), bus, folder=tmp_path / "user", environment={})
    yield service
    await service.close()


async def test_current_is_path_source_created_valid_problems_warnings_theme_language_history_problem(
    service: ConfigService, file: Path
) -> None:
    service.history_problem = "It is in use."
    current = msgspec.json.decode(msgspec.json.encode(service.current()))
    [warning] = current.pop("warnings")
    assert current == {
        "path": str(file),
        "source": "flag",
        "created": False,
        "valid": True,
        "problems": [],
        "theme": "dark",
        "language": "fr",
        "historyProblem": "It is in use.",
    }
    assert set(warning) == {"line", "column", "message", "warning"}


@pytest.mark.parametrize(
    ("text", "valid"), [("agents: []\n", True), ("agents: 1\n", False)], ids=["valid", "not"]
)
async def test_config_changed_is_sent_when_the_file_was_saved_and_read_again_valid_or_not(
    service: ConfigService, file: Path, told: list[Event], text: str, valid: bool
) -> None:
    file.write_text(text)
    await service.reload()
    [event] = told
    assert isinstance(event, ConfigChanged)
    payload = json.loads(to_json(event))
    assert payload.pop("event") == "config:changed"
    assert set(payload) == {"path", "valid", "problems"}
    assert (payload["path"], payload["valid"], payload["problems"] == []) == (str(file), valid, valid)


async def test_config_changed_comes_when_what_it_says_is_in_force(service: ConfigService, file: Path) -> None:
    order: list[object] = []
    service.on_change(lambda config: order.append(config.theme))
    service._bus.listen(lambda event: order.append(service.current().theme))
    await service.save("theme: light\nagents: []\n")
    assert order == ["light", "light"]


async def test_a_history_that_breaks_later_is_told(service: ConfigService, told: list[Event]) -> None:
    service.report_history("It was damaged.")
    assert len(told) == 1
    assert service.current().history_problem == "It was damaged."


async def test_content_is_the_text_of_the_file(service: ConfigService, file: Path) -> None:
    assert service.content() == TEXT
    file.write_text("agents: [\n# not valid, but this is what it says")
    assert service.content() == file.read_text()
    file.unlink()
    assert service.content() == ""


async def test_validate_is_the_problems_and_warnings_of_a_text_without_saving(
    service: ConfigService, file: Path, told: list[Event]
) -> None:
    problem, warning = service.validate("agnets: []\nagents: [{name: a, command: no-such-program-xyz}]")
    assert (problem.line, problem.column, problem.warning) == (1, 1, False)
    assert "did you mean" not in problem.message  # `agents` is there
    assert (warning.line, warning.column, warning.warning) == (2, 29, True)
    assert (service.content(), service.current().theme, told) == (TEXT, "dark", [])


async def test_save_writes_a_valid_text(service: ConfigService, file: Path, told: list[Event]) -> None:
    assert await service.save("agents: []\n") == ()
    assert file.read_text() == "agents: []\n"
    assert (service.current().theme, len(told)) == ("system", 1)


async def test_save_answers_with_the_problems_of_an_invalid_one_and_writes_nothing(
    service: ConfigService, file: Path, told: list[Event]
) -> None:
    before = file.stat()
    [problem] = await service.save("agents: 1\n")
    assert (problem.line, problem.column, problem.warning) == (1, 9, False)
    assert (file.read_text(), file.stat().st_mtime_ns, told) == (TEXT, before.st_mtime_ns, [])


async def test_schema_is_the_json_schema_of_the_configuration(service: ConfigService) -> None:
    schema = json.loads(service.schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert jsonschema.Draft202012Validator(schema).is_valid({"agents": [{"name": "a", "command": "b"}]})


async def test_recent_is_the_files_opened_in_the_app_newest_first_eight_at_most(
    service: ConfigService, tmp_path: Path
) -> None:
    assert service.recent() == ()  # the one of the command line was not opened in the app
    paths = [tmp_path / f"{number}.yaml" for number in range(10)]
    for path in paths:
        path.write_text("agents: []")
        await service.open(path)
    await service.open(paths[5])
    assert [Path(path).stem for path in service.recent()] == ["5", "9", "8", "7", "6", "4", "3", "2"]


# -- places that are no good -------------------------------------------------------------------------


def found(flag: object, folder: Path, environment: dict[str, str] | None = None) -> ConfigService:
    return ConfigService.find(str(flag), Bus(), folder=folder, environment=environment or {})


@pytest.mark.parametrize("by", ["flag", "environment"])
@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("folder", "it is a folder"),
        ("none/none.yaml", "does not exist"),
        ("agents.yaml/below", "can't be read|does not exist"),
        ("nul\0", "U[+]0000"),
    ],
)
def test_a_place_that_is_no_file_is_one_sentence(
    tmp_path: Path, file: Path, by: str, place: str, says: str
) -> None:
    (tmp_path / "folder").mkdir()
    path = str(tmp_path / place)
    service = found(path, tmp_path) if by == "flag" else found("", tmp_path, {"SIDEKICKS_CONFIG": path})
    [problem] = service.current().problems
    assert re.search(says, problem.message)
    assert (service.current().source, service.config.agents, service.content()) == (by, (), "")
    assert not (tmp_path / "none").exists()


@pytest.mark.timeout(10)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fifos")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    [problem] = found(tmp_path / "pipe", tmp_path).current().problems
    assert "no file, but a pipe" in problem.message
    [problem] = found("/dev/zero", tmp_path).current().problems
    assert "a device" in problem.message


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="needs a user who may not read everything"
)
def test_a_file_without_the_right_to_read_it_is_one_sentence(file: Path, tmp_path: Path) -> None:
    file.chmod(0)
    [problem] = found(file, tmp_path).current().problems
    assert "Permission denied" in problem.message


def test_the_default_instead_of_a_remembered_file_that_is_gone_is_told(tmp_path: Path, file: Path) -> None:
    (tmp_path / "recent.json").write_text(json.dumps([str(file)]))
    assert found("", tmp_path).current().source == "remembered"
    file.unlink()
    current = found("", tmp_path).current()
    assert (current.source, current.created, current.valid) == ("default", True, True)
    [warning] = current.warnings
    assert (warning.warning, str(file) in warning.message) == (True, True)
    file.write_text(TEXT)
    assert found("", tmp_path).current().source == "remembered"


async def test_created_is_said_until_another_file_is_opened(tmp_path: Path, file: Path) -> None:
    service = found("", tmp_path / "user")
    assert service.current().created
    assert await service.save("agents: []\n") == ()
    assert service.current().created
    await service.open(file)
    assert not service.current().created
    await service.close()
