"""Fail unless the wheel in `dist` holds what the programs read beside their code."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

NEEDED = (
    "sidekicks/__init__.py",
    "sidekicks/resources/icons/",
    "sidekicks/resources/schemas/",
    "sidekicks/translations/sidekicks_fr.qm",
    "minime_agent/resources/templates/chatml-tools.jinja",
)


def main() -> None:
    """Exit with a sentence for what is missing."""
    wheels = sorted((Path(__file__).parent.parent / "dist").glob("*.whl"))
    if not wheels:
        sys.exit("There is no wheel in dist: run `make package`.")
    names = zipfile.ZipFile(wheels[-1]).namelist()
    missing = [needed for needed in NEEDED if not any(name.startswith(needed) for name in names)]
    if missing:
        sys.exit(f"{wheels[-1].name} lacks {', '.join(missing)}.")
    print(f"{wheels[-1].name}: {len(names)} files, all that is needed is there.")


if __name__ == "__main__":
    main()
