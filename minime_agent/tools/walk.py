"""Which files a folder holds, but those that git ignores: what `grep`, `find` and `ls` look at."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from minime_agent.tools.tool import ToolFailure
from minime_agent.tools.workspace import Workspace

MOST = 100_000
"""Files that are looked at; of a folder with more some are left out, and the reply says so."""
_SECONDS = 20.0
_PASSED_OVER = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", "target", "dist"}
)
"""Folders that nobody means, where no git says what is ignored."""


class Listing(msgspec.Struct, frozen=True):
    """Paths below `root`, with slashes, sorted; `more` when there were over `MOST`."""

    root: Path
    paths: list[str]
    more: bool = False


def place(path: str, workspace: Workspace) -> Path:
    """The file or folder that a call names, "" the working folder; raises `ToolFailure`."""
    try:
        found = workspace.resolve(path or ".")
        if found.exists():
            return found
        above = next((parent for parent in found.parents if parent.is_dir()), workspace.cwd)
        names = sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in above.iterdir())
    except (OSError, ValueError) as error:
        raise ToolFailure(f"[error: {path!r} cannot be looked at: {error}]") from None
    listed = ", ".join(names[:50]) + (", …" if len(names) > 50 else "")
    raise ToolFailure(
        f"[error: there is no {workspace.shown(found)}; "
        f"{workspace.shown(above)} holds: {listed or 'nothing'}]"
    )


async def list_files(root: Path) -> Listing:
    """The files below a folder. Raises `ToolFailure` where it takes too long."""
    try:
        async with asyncio.timeout(_SECONDS):
            paths = await _by_git(root)
            # An ignored folder that is named all the same is meant.
            paths = paths or await asyncio.to_thread(lambda: list(_walk(root)))
    except TimeoutError:
        raise ToolFailure(
            f"[error: listing the files took longer than {_SECONDS:g}s; name a folder with fewer (path)]"
        ) from None
    return Listing(root, sorted(paths)[:MOST], len(paths) > MOST)


async def _by_git(root: Path) -> list[str]:
    """Nothing where there is no git, or it knows nothing of the folder."""
    # A repository's own configuration may name a program that watches its files: a file of the folder must
    # not be able to start one.
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(root)]
    command += ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    quiet = asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=quiet, stdout=asyncio.subprocess.PIPE, stderr=quiet
        )
    except OSError:
        return []
    try:
        output, _ = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    names = {os.fsdecode(name) for name in output.split(b"\0") if name}
    # Another repository inside is one name that ends with a slash.
    inner = [name for name in names if name.endswith("/")]
    deeper = [f"{name}{path}" for name in inner for path in _walk(root / name)]
    return [*(name for name in names if not name.endswith("/")), *deeper]


def _walk(root: Path) -> Iterator[str]:
    found = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _PASSED_OVER)
        inside = Path(folder).relative_to(root)
        for name in sorted(files):
            yield (inside / name).as_posix()
            found += 1
            if found > MOST:
                return
