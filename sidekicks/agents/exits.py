"""What the end of a program meant, in words."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable

_CODES = {
    126: "a program that it starts may not be run",
    127: "a program that it starts was not found",
    9009: "a program that it starts was not found",
    0xC0000005: "it touched memory that is not its own",
    0xC0000017: "the machine ran out of memory",
    0xC00000FD: "its stack overflowed",
    0xC0000135: "a DLL that it needs is missing",
    0xC0000139: "a DLL that it needs is of another version",
    0xC000013A: "it was interrupted",
    0xC0000142: "a DLL that it needs could not begin",
    0xC0000409: "it gave up",
}
"""126 and 127: shells and `env`; 9009: cmd.exe; the large ones: NTSTATUS values of Windows."""

_SIGNALLED = range(129, 160)
"""What a shell, npx or docker ends with when a signal ended what it had started: 128 and its number."""

_NPM = re.compile(r"npm (?:error|ERR!) (?:code )?(E[A-Z0-9]+|ERR_SOCKET_TIMEOUT)\b")
_UNREACHABLE = {
    *("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "EHOSTUNREACH"),
    *("ETIMEDOUT", "ERR_SOCKET_TIMEOUT", "ENOTCACHED"),
}


def describe_exit(code: int | None) -> str:
    """What an exit meant: `ended with exit code 3`, `was ended by SIGKILL`; empty while it runs.

    `code` is as `subprocess` gives it: negative for a signal.
    """
    if code is None:
        return ""
    if code < 0:
        return f"was ended by {_signal(-code)}"
    if code == 0:
        return "ended by itself (exit code 0)"
    meaning = _CODES.get(code, "")
    if code in _SIGNALLED:
        meaning = f"what it had started was ended by {_signal(code - 128)}"
    shown = f"{code}" if code < 0x80000000 else f"0x{code:08X}"
    return f"ended with exit code {shown}" + (f" ({meaning})" if meaning else "")


def advice(lines: Iterable[str]) -> str:
    """What to do about what a program said before it ended; empty when nothing is known about it."""
    codes = {found[1] for line in lines if (found := _NPM.search(line))}
    if codes & _UNREACHABLE:
        return (
            "npm can't reach its registry: check the connection, or install the program once"
            " with `npm install -g` and give its name as `command`"
        )
    if "E404" in codes:
        return "npm knows no such package: check its name in `args`"
    return ""


def _signal(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    return f"{name} (perhaps the machine ran out of memory)" if name == "SIGKILL" else name
