"""`python -m minime_agent`, and the command `mm`."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs mm; returns its exit code."""
    from minime_agent.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
