"""What every test can rely on."""

from __future__ import annotations

import signal

# A suite that runs in the background of a script inherits that Ctrl+C is ignored, and so would every process
# that a test starts to interrupt it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
