"""Make `.venv` ready for work: `bootstrap.py run` or `bootstrap.py dev`. Needs Python alone.

A stamp, written last, says what `.venv` holds; an interrupted run leaves none, and is done again whole.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn, TextIO

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "bootstrap.json"
LOCKS = {"run": "requirements.lock", "dev": "requirements-dev.lock"}
BUILD_LOCK = "requirements-build.lock"
OLDEST = (3, 11)
NEWER = ("python3.12", "python3.11", "python3.13", "python3.14")


def main() -> None:
    """Bring `.venv` to the state that the set describes; one sentence and exit code 1 if that can't be."""
    wanted = sys.argv[1] if len(sys.argv) == 2 else ""
    if wanted not in LOCKS:
        sys.exit("usage: python packaging/bootstrap.py run|dev")
    if sys.version_info < OLDEST:
        _restart_with_newer()
    if _stamp_says(wanted):
        return
    if not importlib.util.find_spec("venv") or not importlib.util.find_spec("ensurepip"):
        version = "python{}.{}".format(*sys.version_info)
        sys.exit(
            f"{sys.executable} cannot make virtual environments: install the package {version}-venv "
            f"(Debian, Ubuntu: sudo apt install {version}-venv), then run this again."
        )
    with _only_one() as lock:
        if not _stamp_says(wanted):  # another run may have finished meanwhile
            _build(wanted, lock)


def _restart_with_newer() -> NoReturn:
    for name in NEWER:
        path = shutil.which(name)
        if path:
            os.execv(path, [path, *sys.argv])
    have = ".".join(map(str, sys.version_info[:3]))
    sys.exit(
        f"Sidekicks needs Python 3.11 or newer, and {sys.executable} is {have}: "
        "name another with `make PYTHON=…`."
    )


def _keys(wanted: str) -> dict[str, str]:
    """What `.venv` depends on: a change of "base" wants a new one, of "lock" or "project" an installation."""
    texts = [(ROOT / "packaging" / name).read_bytes() for name in (LOCKS[wanted], BUILD_LOCK)]
    return {
        "base": f"{sys.version} {VENV}",
        "lock": hashlib.sha256(b"\0".join(texts)).hexdigest(),
        "project": hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest(),
    }


def _stamp() -> dict[str, str]:
    try:
        return json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _stamp_says(wanted: str) -> bool:
    # What is needed to work on the project includes what is needed to run it.
    stamp = _stamp()
    return stamp.get("set") in (wanted, "dev") and stamp == {"set": stamp["set"], **_keys(stamp["set"])}


def _only_one() -> TextIO:
    """While this file is open no other run works on `.venv`, nor the pip of one that was killed."""
    path = ROOT / "build" / "bootstrap.lock"
    path.parent.mkdir(exist_ok=True)
    file = path.open("w")
    if os.name == "posix":
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another installation in this folder to end …", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
    return file


def _build(wanted: str, lock: TextIO) -> None:
    stamp = _stamp()
    keys = _keys(wanted)
    STAMP.unlink(missing_ok=True)
    if stamp.get("base") != keys["base"]:
        print("Making .venv …", flush=True)
        _call(lock, sys.executable, "-m", "venv", "--clear", str(VENV))
    if stamp.get("base") != keys["base"] or stamp.get("lock") != keys["lock"]:
        print("Installing packages (some 140 MB, once) …", flush=True)
        requirements = [str(ROOT / "packaging" / name) for name in (LOCKS[wanted], BUILD_LOCK)]
        _pip(lock, "--require-hashes", "-r", requirements[0], "-r", requirements[1])
    _pip(lock, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    STAMP.write_text(json.dumps({"set": wanted, **keys}), encoding="utf-8")


def _pip(lock: TextIO, *arguments: str) -> None:
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    _call(lock, str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *arguments)


def _call(lock: TextIO, *command: str) -> None:
    # The child holds the lock too, so that it counts as running when this process is killed.
    held = (lock.fileno(),) if os.name == "posix" else ()
    code = subprocess.run(command, pass_fds=held, stdin=subprocess.DEVNULL, check=False).returncode
    if code:
        sys.exit("Setting up .venv failed (above is why): run this again when it is put right.")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted: the next run starts afresh.")
