"""What was typed, for the arrow keys of the next session: a file that only the user may read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import FileHistory

from minime_agent.folders import data_folder, private_folder
from minime_agent.repl.pasted import MARK

_MOST = 10_000
"""Characters; what is longer was pasted."""
_KEPT_BYTES = 1024 * 1024
_SECRET = re.compile(
    r"\b(?:sk|pk|ghp|gho|glpat|hf|xox[abp])[-_][\w-]{12,}|\bAKIA[0-9A-Z]{12,}|\bBearer\s+\S{8,}|-----BEGIN "
    r"|\b(?:api[-_ ]?key|passw(?:or)?d|secret|token)\b\s*(?:[=:]|is\b)\s*\S+",
    re.IGNORECASE,
)


class PromptHistory(FileHistory):
    """Keeps what is typed, but never a line that begins with a blank, or that looks like a secret."""

    def __init__(self) -> None:
        self.path = private_folder(data_folder()) / "prompt-history"
        _shorten(self.path)
        super().__init__(str(self.path))

    def load_history_strings(self) -> Iterable[str]:
        """Newest first; a file that cannot be read is an empty one."""
        try:
            return list(super().load_history_strings())
        except OSError:
            return []

    def append_string(self, string: str) -> None:
        """Takes a message; the next session has it too, if it may be kept."""
        if may_be_kept(string):
            super().append_string(string)

    def store_string(self, string: str) -> None:
        """Writes a message; a full disk costs the history, not the conversation."""
        try:
            super().store_string(string)
        except OSError:
            return


def may_be_kept(text: str) -> bool:
    """Whether a message may stand in a file; what a mark stands for is gone with the session."""
    if len(text) > _MOST or text[:1].isspace():
        return False
    return _SECRET.search(text) is None and MARK.search(text) is None


def _shorten(path: Path) -> None:
    """Makes the file, for its owner alone, and keeps the newer half of one that has grown too long."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    if path.stat().st_size > _KEPT_BYTES:
        data = path.read_bytes()[-_KEPT_BYTES // 2 :]
        path.write_bytes(data[max(data.find(b"\n\n#"), 0) :])
