from __future__ import annotations

from pathlib import Path

import pytest

from minime_agent.embedded.errors import EmbeddedError
from minime_agent.embedded.store import ModelStore
from tests.embedded_model import gguf_bytes


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


def model_at(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gguf_bytes())
    return path


def test_no_model_says_how_to_get_one(store: ModelStore) -> None:
    assert store.models() == []
    with pytest.raises(EmbeddedError, match="run `mm model install smollm2`"):
        store.resolve("")


def test_an_added_file_stays_where_it_is_and_is_used(store: ModelStore, tmp_path: Path) -> None:
    path = model_at(tmp_path / "downloads" / "qwen2.5-coder-3b.gguf")

    store.add(path)

    assert store.resolve("") == path
    assert ModelStore(store.folder).resolve("Qwen") == path
    assert not list(store.folder.glob("*.gguf"))


def test_removing_an_added_model_forgets_it_and_keeps_the_file(store: ModelStore, tmp_path: Path) -> None:
    path = model_at(tmp_path / "downloads" / "mine.gguf")
    store.add(path)

    store.remove("mine")

    assert path.is_file()
    assert store.models() == []


def test_removing_an_installed_model_deletes_it(store: ModelStore) -> None:
    path = model_at(store.folder / "small.v1.gguf")
    path.with_suffix(".NOTICE").write_text("licence")

    store.remove("small.v1")

    assert not list(store.folder.glob("small*"))


def test_the_chosen_model_is_the_one_that_runs(store: ModelStore) -> None:
    model_at(store.folder / "a.gguf")
    second = model_at(store.folder / "b.gguf")
    assert [one.chosen for one in store.models()] == [True, False]

    store.use("B")

    assert ModelStore(store.folder).resolve("") == second
    store.remove("b")
    assert store.resolve("").name == "a.gguf"


def test_a_path_needs_no_installation(store: ModelStore, tmp_path: Path) -> None:
    path = model_at(tmp_path / "any where.gguf")

    assert store.resolve(str(path)) == path


def test_an_unknown_or_ambiguous_name_lists_what_there_is(store: ModelStore) -> None:
    model_at(store.folder / "qwen-a.gguf")
    model_at(store.folder / "qwen-b.gguf")

    with pytest.raises(EmbeddedError, match='"llama": the models are qwen-a, qwen-b'):
        store.resolve("llama")
    with pytest.raises(EmbeddedError, match="beginning of qwen-a, qwen-b"):
        store.use("qwen")


def test_what_is_no_model_is_not_added(store: ModelStore, tmp_path: Path) -> None:
    path = tmp_path / "notes.gguf"
    path.write_text("not a model")

    with pytest.raises(EmbeddedError, match="not a GGUF model file"):
        store.add(path)
    assert store.models() == []


def test_an_added_file_that_vanished_is_named(store: ModelStore, tmp_path: Path) -> None:
    path = model_at(tmp_path / "gone.gguf")
    store.add(path)
    path.unlink()

    with pytest.raises(EmbeddedError, match=r"model gone is gone .*gone\.gguf.*: add it again"):
        store.resolve("")


def test_a_damaged_list_is_named_and_not_overwritten(store: ModelStore, tmp_path: Path) -> None:
    store.folder.mkdir()
    (store.folder / "models.json").write_text("{")

    with pytest.raises(EmbeddedError, match=r"models\.json cannot be read .*: remove it"):
        store.add(model_at(tmp_path / "a.gguf"))
    assert (store.folder / "models.json").read_text() == "{"
