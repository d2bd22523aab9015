from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from minime_agent.engine.completing import mentioned_files
from minime_agent.mention.mentions import expand


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


async def test_files_of_the_folder_but_those_that_git_ignores(repository: Path) -> None:
    for name in ("main.py", "src/main notes.md", "build/main.o", ".gitignore"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text("build/\n")
    offered = await mentioned_files("main", repository)
    assert offered == ["@main.py", '@"src/main notes.md"']
    assert await mentioned_files('"src/m', repository) == ['@"src/main notes.md"']
    assert await mentioned_files("nothing", repository) == []
    assert expand(offered[1], repository) == f"[attached file: {repository / 'src' / 'main notes.md'}]"
