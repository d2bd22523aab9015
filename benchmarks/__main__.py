"""Runs every benchmark of this folder, each in a process of its own, and prints one table.

A benchmark is a `bench_*.py` that takes `--json FILE`, writes what it measured there, prints a table row, and
ends with 1 when a goal was not met.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"


def main() -> int:
    """Runs them all; ends with 1 when any of them missed its goal or could not run."""
    RESULTS.mkdir(exist_ok=True)
    print(
        "| what | ours | baseline of the same run | ratio | goal | more |\n|---|---|---|---|---|---|",
        flush=True,
    )
    missed: list[str] = []
    for script in sorted(FOLDER.glob("bench_*.py")):
        result = RESULTS / f"{script.stem}.json"
        environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "PYTHONPATH": str(FOLDER.parent)}
        if subprocess.run([sys.executable, str(script), "--json", str(result)], env=environment).returncode:
            missed.append(script.stem)
    if missed:
        print(f"\nGoal missed, or could not run: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
