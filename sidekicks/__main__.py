"""`sidekicks` and `python -m sidekicks`."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command line; answers with the exit code."""
    from sidekicks.cli import main as run

    try:
        return run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
