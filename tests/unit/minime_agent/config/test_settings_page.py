"""What is written about the settings of mm is true."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from minime_agent.config.keys import VARIABLES, keys

ROOT = Path(__file__).parents[4]


def test_the_page_is_what_the_model_says() -> None:
    script = [sys.executable, str(ROOT / "packaging/mm_settings.py"), "--check"]
    ran = subprocess.run(script, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_key_and_variable_has_its_row() -> None:
    rows = (ROOT / "docs/mm-settings.md").read_text("utf-8").splitlines()
    for key in keys():
        [row] = [row for row in rows if row.startswith(f"| `{key}` |")]
        assert (f"`{VARIABLES[key]}`" in row) if key in VARIABLES else ("`MM_" not in row)
        assert row.split("|")[5].strip().endswith("."), row
