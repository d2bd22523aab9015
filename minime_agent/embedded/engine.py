"""The process that holds the model: llama.cpp's HTTP server, until the keeper or the idle limit ends it.

Options come on stdin as one JSON line, one Report goes to stdout. stdin closing ends it, and that happens
however the keeper ends.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from minime_agent.embedded.errors import EmbeddedError
from minime_agent.embedded.gguf import read_header
from minime_agent.embedded.protocol import HOST, Options, Report
from minime_agent.resources import resource

_PROMPT_CACHE = 256  # MiB of old prompts, for users that take turns; llama-server's own default is 8 GiB
_WARNINGS = 2  # llama.cpp's verbosity
_LOG_LIMIT = 256 * 1024  # bytes


def main() -> None:
    """Load the model, say so, and stay until stdin closes or nobody asks."""
    options = msgspec.json.decode(sys.stdin.buffer.readline(), type=Options)
    # llama.cpp writes to stdout; the keeper reads only reports there.
    reports = os.dup(1)
    os.dup2(2, 1)
    try:
        server, context = _serve(options)
    except EmbeddedError as error:
        _report(reports, Report("failed", message=str(error)))
    else:
        _report(reports, Report("ready", address=server.listening_address, context=context))
        _stay(options.idle)
    os._exit(0)  # llama.cpp's own way out waits for answers that nobody reads any more


def tool_template(own: str) -> str:
    """The chat template to use in place of a model's `own`; "" = its own.

    ChatML models without tools get one that has them, in the form that Qwen and Hermes models were taught.
    """
    if "<|im_start|>" not in own or "tools" in own:
        return ""
    return resource("templates/chatml-tools.jinja").read_text(encoding="utf-8")


def _report(handle: int, report: Report) -> None:
    os.write(handle, msgspec.json.encode(report) + b"\n")


def _serve(options: Options) -> tuple[Any, int]:
    """The running server (it ends with its object) and its context in tokens."""
    header = read_header(Path(options.model))
    context = min(options.context, header.context or options.context)
    try:
        llama: Any = importlib.import_module("xllamacpp")  # a compiled module without types
    except ImportError as error:
        raise EmbeddedError(
            f"llama.cpp cannot be loaded ({error}): reinstall sidekicks[embedded]."
        ) from error
    params = llama.CommonParams()
    params.model.path = options.model
    params.model_alias = {Path(options.model).stem}
    params.hostnames, params.port, params.api_keys = [HOST], 0, [options.key]
    params.ui, params.verbosity = False, _WARNINGS
    params.n_ctx, params.cache_ram_mib = context, _PROMPT_CACHE
    params.sampling.temp = 0.0
    # Each costs a third of the loading time. The first request warms up too; fitting is for graphics cards.
    params.warmup = False
    cpu = llama.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_CPU
    params.fit_params = any(device["type"] != cpu for device in llama.get_device_info())
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads()
    if template := tool_template(header.chat_template):
        params.chat_template = template
    try:
        return llama.Server(params), context
    except RuntimeError as error:
        reason = _reason(options.file("log")) or error
        raise EmbeddedError(f"The model {options.model} cannot be loaded: {reason}.") from error


def _threads() -> int:
    """Not all processors: the window needs one, and threads that wait for each other bear no company.

    Measured on 2 cores with other work on them: 47 tokens/s with one thread, 1 to 11 with two.
    """
    count = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(count - 1, 3), count // 2)


def _reason(log: Path) -> str:
    """Why loading failed, as llama.cpp wrote it to `log`."""
    mark = "error loading model: "
    text = log.read_text(encoding="utf-8", errors="replace")
    return text.split(mark, 1)[1].splitlines()[0] if mark in text else ""


def _stay(idle: float) -> None:
    """Return when stdin closes, or after `idle` seconds in which the server computed nothing.

    What tells a request from silence is processor time: the shortest answer of SmolLM2 costs 50 ms of it,
    silence less than 1 ms a second. Asking the server for its slots would wait behind the request to be seen.
    """
    closed = threading.Event()

    def watch() -> None:
        sys.stdin.buffer.read()
        closed.set()

    threading.Thread(target=watch, daemon=True).start()
    tick = idle / 10
    busy_until, used = time.monotonic(), time.process_time()
    while not closed.wait(tick):
        now, used_before, used = time.monotonic(), used, time.process_time()
        if used - used_before > 0.02 + 0.002 * tick:
            busy_until = now
        elif now - busy_until >= idle:
            return
        _bound_log()


def _bound_log() -> None:
    # The log is opened for appending, so what follows begins at its new start.
    if os.fstat(2).st_size > _LOG_LIMIT:
        os.ftruncate(2, 0)


if __name__ == "__main__":
    main()
