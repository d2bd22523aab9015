"""The configuration in force: saved, watched, switched, and never lost."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from sidekicks.bus import Bus
from sidekicks.config.locate import UnreadableError, data_folder, locate, read
from sidekicks.config.recent import Recent
from sidekicks.config.service import ConfigService
from sidekicks.events import ConfigChanged, Event

ONE = "agents: [{name: one, command: mm}]\n"
TWO = "theme: dark\nagents: [{name: one, command: mm}, {name: two, command: mm}]\n"
INVALID = "agents: [{name: one}]\n"


class Listener:
    """What the bus and the followers were told."""

    def __init__(self, service: ConfigService, bus: Bus) -> None:
        self.events: list[Event] = []
        self.agents: list[list[str]] = []
        self.changed = asyncio.Event()
        bus.listen(self._event)
        service.on_change(lambda config: self.agents.append([agent.name for agent in config.agents]))

    def _event(self, event: Event) -> None:
        self.events.append(event)
        self.changed.set()

    async def next(self) -> ConfigChanged:
        async with asyncio.timeout(20):
            await self.changed.wait()
        self.changed.clear()
        event = self.events[-1]
        assert isinstance(event, ConfigChanged)
        return event


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "place" / "agents.yaml"
    path.parent.mkdir()
    path.write_text(ONE)
    return path


@pytest.fixture
async def bus() -> Bus:
    return Bus()


@pytest.fixture
async def service(file: Path, tmp_path: Path, bus: Bus) -> AsyncIterator[ConfigService]:
    found = ConfigService.find(str(file), bus, folder=tmp_path / "user", environment={})
    yield found
    await found.close()


def names(service: ConfigService) -> list[str]:
    return [agent.name for agent in service.config.agents]


def test_the_first_start_makes_a_file_with_the_bundled_agent(tmp_path: Path) -> None:
    service = ConfigService.find("", Bus(), folder=tmp_path / "user", environment={})
    current = service.current()
    assert (current.source, current.created, current.valid) == ("default", True, True)
    assert (current.problems, current.warnings) == ((), ())
    assert current.path == str(tmp_path / "user/sidekicks.yaml")
    assert [(agent.name, agent.title, agent.args) for agent in service.config.agents] == [
        ("mm", "Mini Me", ("--acp",))
    ]
    assert service.content().startswith("# Sidekicks")
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "user").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "user/sidekicks.yaml").stat().st_mode) == 0o600
    again = ConfigService.find("", Bus(), folder=tmp_path / "user", environment={})
    assert again.current().created is False


def test_the_flag_goes_before_the_environment_before_the_last_before_the_default(
    tmp_path: Path, file: Path
) -> None:
    environment = {"SIDEKICKS_CONFIG": "/env.yaml"}
    assert locate("/flag.yaml", environment, file, tmp_path).source == "flag"
    assert locate("", environment, file, tmp_path).path == Path("/env.yaml").absolute()
    assert locate("", {"SIDEKICKS_CONFIG": ""}, file, tmp_path).path == file
    assert locate("", {}, file, tmp_path).source == "remembered"
    assert locate("", {}, tmp_path / "gone.yaml", tmp_path).source == "default"


def test_which_folder_keeps_the_data() -> None:
    environment = {"SIDEKICKS_DATA_DIR": "~/kept"}
    assert data_folder("/flag", environment) == Path("/flag").absolute()
    assert data_folder("", environment) == Path.home() / "kept"
    assert data_folder("", {"SIDEKICKS_DATA_DIR": ""}) is None


def test_a_named_file_that_is_missing_is_a_problem(tmp_path: Path) -> None:
    service = ConfigService.find(str(tmp_path / "none.yaml"), Bus(), folder=tmp_path, environment={})
    [problem] = service.current().problems
    assert "does not exist" in problem.message
    assert not (tmp_path / "none.yaml").exists()


def test_without_a_valid_file_at_the_start_there_are_no_agents(tmp_path: Path, file: Path) -> None:
    file.write_text(INVALID)
    service = ConfigService.find(str(file), Bus(), folder=tmp_path, environment={})
    assert names(service) == []
    assert service.current().valid is False
    assert service.current().theme == "system"


async def test_a_saved_text_is_in_force(service: ConfigService, file: Path, bus: Bus) -> None:
    listener = Listener(service, bus)
    assert await service.save(TWO) == ()
    assert file.read_text() == TWO
    assert names(service) == ["one", "two"]
    assert service.current().theme == "dark"
    assert listener.agents == [["one", "two"]]
    assert listener.events == [ConfigChanged(path=str(file), valid=True, problems=())]


async def test_an_invalid_text_is_not_saved(service: ConfigService, file: Path, bus: Bus) -> None:
    listener = Listener(service, bus)
    [problem] = await service.save(INVALID)
    assert "command" in problem.message
    assert file.read_text() == ONE
    assert names(service) == ["one"]
    assert listener.events == []
    assert [path.name for path in file.parent.iterdir()] == [file.name]


async def test_a_text_with_warnings_is_saved(service: ConfigService) -> None:
    assert await service.save("agents: [{name: one, command: no-such-program-xyz}]") == ()
    [warning] = service.current().warnings
    assert warning.warning
    assert service.current().valid


def test_validating_changes_nothing(service: ConfigService) -> None:
    found = service.validate("agents:\n- {name: a, command: no-such-program-xyz}\n- {name: b}\n")
    assert [(problem.line, problem.warning) for problem in found] == [(2, True), (3, False)]
    assert names(service) == ["one"]


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes of Unix")
async def test_saving_keeps_permissions_and_a_link(
    service: ConfigService, file: Path, tmp_path: Path
) -> None:
    target = tmp_path / "dotfiles.yaml"
    file.rename(target)
    target.chmod(0o640)
    file.symlink_to(target)
    assert await service.save(TWO) == ()
    assert file.is_symlink()
    assert target.read_text() == TWO
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


async def test_saving_keeps_the_line_ends(service: ConfigService, file: Path) -> None:
    file.write_bytes(ONE.replace("\n", "\r\n").encode())
    await service.save(TWO)
    assert file.read_bytes() == TWO.replace("\n", "\r\n").encode()
    await service.save(service.content())
    assert file.read_bytes() == TWO.replace("\n", "\r\n").encode()


async def test_a_file_that_cannot_be_written_is_a_problem(service: ConfigService, file: Path) -> None:
    file.unlink()
    file.parent.rmdir()
    [problem] = await service.save(TWO)
    assert "can't be written" in problem.message
    assert names(service) == ["one"]


@pytest.mark.parametrize(
    ("data", "line", "column", "says"),
    [
        (b"theme: dark\n# \xc3\xa9\xff\n", 2, 4, "UTF-8"),
        (b"\xef\xbb\xbf\xc3\xa9\xff", 1, 2, "UTF-8"),
        (b"\xff\xfex\x00y", 1, 1, "UTF-8"),
    ],
)
def test_a_file_that_is_no_text_is_a_problem(
    file: Path, data: bytes, line: int, column: int, says: str
) -> None:
    file.write_bytes(data)
    with pytest.raises(UnreadableError, match=says) as caught:
        read(file)
    assert (caught.value.problem.line, caught.value.problem.column) == (line, column)


@pytest.mark.skipif(sys.platform == "win32", reason="needs the right to make links")
async def test_a_link_to_itself_is_a_problem(file: Path, service: ConfigService, bus: Bus) -> None:
    listener = Listener(service, bus)
    service.watch(step_ms=20)
    file.unlink()
    file.symlink_to(file)
    assert not (await listener.next()).valid
    assert names(service) == ["one"]
    file.unlink()
    file.write_text(TWO)
    assert (await listener.next()).valid


def test_an_endless_file_is_a_problem(file: Path) -> None:
    file.write_bytes(b"#" * 4_000_001)
    with pytest.raises(UnreadableError, match="longer"):
        read(file)


def test_a_file_of_another_encoding_is_read(file: Path) -> None:
    file.write_bytes(ONE.encode("utf-16"))
    assert read(file) == ONE
    file.write_bytes(ONE.encode("utf-8-sig"))
    assert read(file) == ONE


async def test_an_invalid_file_never_takes_away_what_runs(
    service: ConfigService, file: Path, bus: Bus
) -> None:
    listener = Listener(service, bus)
    for text in (INVALID, "", "agents: [", None):
        if text is None:
            file.unlink()
        else:
            file.write_text(text)
        await service.reload()
        assert names(service) == ["one"]
        assert service.current().valid is False
        assert listener.agents == []
    file.write_text(TWO)
    await service.reload()
    assert (names(service), service.current().valid) == (["one", "two"], True)
    assert [event.valid for event in listener.events if isinstance(event, ConfigChanged)] == [False] * 4 + [
        True
    ]


async def test_reading_the_same_again_tells_nothing(service: ConfigService, file: Path, bus: Bus) -> None:
    listener = Listener(service, bus)
    file.write_text(ONE)
    await service.reload()
    assert listener.events == []
    file.write_text("# a comment\n" + ONE)
    await service.reload()
    assert len(listener.events) == 1
    assert listener.agents == []


def overwrite(file: Path) -> None:
    file.write_text(TWO)


def rename_over(file: Path) -> None:
    other = file.with_name("agents.yaml~new")
    other.write_text(TWO)
    other.replace(file)


def backup_and_new(file: Path) -> None:
    file.rename(file.with_name("agents.yaml.bak"))
    file.write_text(TWO)


@pytest.mark.parametrize("save", [overwrite, rename_over, backup_and_new])
async def test_every_way_of_saving_is_noticed(
    service: ConfigService, file: Path, bus: Bus, save: Callable[[Path], None]
) -> None:
    listener = Listener(service, bus)
    service.watch(step_ms=20)
    save(file)
    assert (await listener.next()).valid
    assert names(service) == ["one", "two"]


async def test_a_file_that_vanishes_and_comes_back(service: ConfigService, file: Path, bus: Bus) -> None:
    listener = Listener(service, bus)
    service.watch(step_ms=20)
    file.unlink()
    event = await listener.next()
    assert (event.valid, names(service)) == (False, ["one"])
    assert "does not exist" in event.problems[0].message
    file.write_text(TWO)
    assert (await listener.next()).valid
    assert names(service) == ["one", "two"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs the right to make links")
async def test_a_linked_file_is_followed(
    service: ConfigService, file: Path, tmp_path: Path, bus: Bus
) -> None:
    target = tmp_path / "other" / "dotfile"
    target.parent.mkdir()
    file.rename(target)
    file.symlink_to(target)
    listener = Listener(service, bus)
    service.watch(step_ms=20)
    target.write_text(TWO)
    assert (await listener.next()).valid
    assert names(service) == ["one", "two"]


async def test_a_save_of_our_own_is_told_once(service: ConfigService, file: Path, bus: Bus) -> None:
    listener = Listener(service, bus)
    service.watch(step_ms=20)
    await service.save(TWO)
    rename_over(file)  # the same text: nothing to tell
    file.write_text(ONE)
    while names(service) != ["one"]:
        await listener.next()
    assert listener.agents == [["one", "two"], ["one"]]


async def test_another_file_is_taken_and_remembered(service: ConfigService, tmp_path: Path, bus: Bus) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(TWO)
    service.history_problem = "of the former"
    service.watch(step_ms=20)
    listener = Listener(service, bus)
    await service.open(other)
    current = service.current()
    assert (current.path, current.source, current.theme, current.history_problem) == (
        str(other),
        "remembered",
        "dark",
        "",
    )
    assert listener.agents == [["one", "two"]]
    assert service.recent() == (str(other),)
    again = ConfigService.find("", Bus(), folder=tmp_path / "user", environment={})
    assert again.current().path == str(other)
    listener.changed.clear()
    other.write_text(ONE)
    await listener.next()
    assert names(service) == ["one"]


async def test_a_file_that_is_not_there_is_not_taken(
    service: ConfigService, tmp_path: Path, file: Path
) -> None:
    with pytest.raises(UnreadableError, match="does not exist"):
        await service.open(tmp_path / "none.yaml")
    assert service.path == file
    assert service.recent() == ()


def test_the_eight_newest_files_are_remembered(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    recent = Recent(tmp_path / "user")
    assert recent.files() == ()
    for number in [*range(10), 5]:
        recent.add(Path(f"/{number}"))
    assert [path.name for path in recent.files()] == ["5", "9", "8", "7", "6", "4", "3", "2"]
    (tmp_path / "user/recent.json").write_text("{}")
    assert recent.files() == ()
    assert "recent files" in caplog.text


def test_the_schema_is_what_an_editor_gets(service: ConfigService) -> None:
    assert '"maxRunningAgents"' in service.schema()


def test_the_environment_is_that_of_the_process_unless_given(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "secret")
    file.write_text("agents: [{name: one, command: mm, env: {KEY: '${SOME_KEY}'}}]")
    service = ConfigService.find(str(file), Bus(), folder=tmp_path)
    assert service.config.agents[0].env == {"KEY": os.environ["SOME_KEY"]}
