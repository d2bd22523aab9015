"""Pages of the documentation that are made from what they describe."""

from __future__ import annotations

import sys
from pathlib import Path


def write_or_check(page: Path, wanted: str) -> int:
    """Writes the page, or with `--check` says whether it is up to date; answers with the exit code."""
    if sys.argv[1:] != ["--check"]:
        page.write_text(wanted, "utf-8", newline="\n")
    elif page.read_text("utf-8") != wanted:
        print(f"docs/{page.name} is not up to date: run `python packaging/{Path(sys.argv[0]).name}`")
        return 1
    return 0
