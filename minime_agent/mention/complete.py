"""Which of a folder's files fit what was typed after `@`."""

from __future__ import annotations

from collections.abc import Iterable


def matching(typed: str, paths: Iterable[str], limit: int = 20) -> list[str]:
    """The paths that contain what was typed, at most `limit`.

    Those that begin with it come first, then those whose name does; the short before the long.
    """
    wanted = typed.lower()
    ranked: list[tuple[int, int, str]] = []
    for path in paths:
        lowered = path.lower()
        if wanted in lowered:
            named = lowered.rpartition("/")[2].startswith(wanted)
            rank = 0 if lowered.startswith(wanted) else 1 if named else 2
            ranked.append((rank, len(path), path))
    return [path for _, _, path in sorted(ranked)[:limit]]
