"""The models that the user has: a folder of files, files elsewhere that were added, and the chosen one."""

from __future__ import annotations

from pathlib import Path

import msgspec

from minime_agent.embedded.errors import EmbeddedError
from minime_agent.embedded.gguf import read_header
from minime_agent.folders import private_folder, write_private

INSTALL = "mm model install smollm2"


class Choice(msgspec.Struct, frozen=True):
    """The content of `models.json`."""

    chosen: str = ""  # a name; "" = the first
    added: dict[str, str] = {}  # name -> absolute path of a file that stays where it is


class Model(msgspec.Struct, frozen=True):
    """One model that the user has."""

    name: str  # its file's, without .gguf
    path: Path
    chosen: bool
    added: bool  # its file belongs to the user, not to mm


class ModelStore:
    """The folder `<data>/models`. Methods raise EmbeddedError with what to do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "models.json"

    def models(self) -> list[Model]:
        """All of them, by name."""
        choice = self._choice()
        paths = {name: (Path(path), True) for name, path in choice.added.items()}
        paths |= {path.stem: (path, False) for path in self.folder.glob("*.gguf")}
        chosen = choice.chosen if choice.chosen in paths else min(paths, default="")
        return [Model(name, path, name == chosen, added) for name, (path, added) in sorted(paths.items())]

    def resolve(self, model: str) -> Path:
        """The file of `model`: "" = the chosen one, a name as `find` takes it, or a path."""
        if model and (path := Path(model).expanduser()).is_file():
            return path.resolve()
        found = self.find(model) if model else next((one for one in self.models() if one.chosen), None)
        if found is None:
            raise EmbeddedError(f"No model is installed for the embedded provider: run `{INSTALL}`.")
        if not found.path.is_file():
            raise EmbeddedError(
                f"The file of the model {found.name} is gone ({found.path}): add it again, or use another."
            )
        return found.path.resolve()

    def find(self, name: str) -> Model:
        """The model called `name`; a unique beginning is enough, and case does not count."""
        models = self.models()
        wanted = name.casefold()
        matches = [one for one in models if one.name.casefold() == wanted] or [
            one for one in models if one.name.casefold().startswith(wanted)
        ]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise EmbeddedError(f'"{name}" is the beginning of {_listed(matches)}: write more of it.')
        have = f"the models are {_listed(models)}" if models else f"none is installed, run `{INSTALL}`"
        raise EmbeddedError(f'There is no model file or model "{name}": {have}.')

    def add(self, path: Path) -> Model:
        """Remember a GGUF file that stays where it is, and choose it if it is the first."""
        path = path.expanduser().resolve()
        read_header(path)
        if any(one.name == path.stem and one.path != path for one in self.models()):
            raise EmbeddedError(
                f"There is a model {path.stem} already: `mm model remove {path.stem}` forgets it."
            )
        choice = self._choice()
        if path.parent != self.folder.resolve():
            self._write(msgspec.structs.replace(choice, added=choice.added | {path.stem: str(path)}))
        return self.find(path.stem)

    def use(self, name: str) -> Model:
        """Choose the model that "" stands for."""
        model = self.find(name)
        self._write(msgspec.structs.replace(self._choice(), chosen=model.name))
        return msgspec.structs.replace(model, chosen=True)

    def remove(self, name: str) -> Model:
        """Delete an installed model's file; only forget a file that was added."""
        model = self.find(name)
        if model.added:
            choice = self._choice()
            left = {known: path for known, path in choice.added.items() if known != model.name}
            self._write(msgspec.structs.replace(choice, added=left))
        else:
            model.path.unlink(missing_ok=True)
            model.path.with_suffix(".NOTICE").unlink(missing_ok=True)
        return model

    def _choice(self) -> Choice:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=Choice)
        except FileNotFoundError:
            return Choice()
        except (OSError, msgspec.MsgspecError) as error:
            raise EmbeddedError(
                f"The list of models {self._file} cannot be read ({error}): remove it."
            ) from error

    def _write(self, choice: Choice) -> None:
        private_folder(self.folder)
        write_private(self._file, msgspec.json.encode(choice))


def _listed(models: list[Model]) -> str:
    return ", ".join(model.name for model in models)
