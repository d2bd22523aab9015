"""The command line of mm: arguments to settings to façade. Imports wait until they are needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from minime_agent.version import VERSION

if TYPE_CHECKING:
    import argparse

    from minime_agent.config.settings import Settings
    from minime_agent.engine.recorder import Recorder
    from minime_agent.engine.session import Session

USAGE_ERROR = 2


def run(arguments: Sequence[str]) -> int:
    """Runs one command line; returns the exit code."""
    if arguments and arguments[0] == "model":
        from minime_agent.embedded.cli import run as run_model_command

        return run_model_command(list(arguments[1:]))
    if arguments and arguments[0] == "config":
        from minime_agent.config.cli import run as run_config_command
        from minime_agent.engine.profile import values_of
        from minime_agent.tools.selection import check

        return run_config_command(list(arguments[1:]), values_of, check)
    options = _parser().parse_args(arguments)
    if options.version:
        print(f"mm {VERSION}")
        return 0
    if options.acp:
        return _serve(options)
    from minime_agent.config.check import ConfigError
    from minime_agent.store.errors import SessionError

    try:
        settings, cwd = _settings(options), _folder(options.cwd)
        return _facade(options, settings, cwd)
    except (ConfigError, SessionError) as error:
        print("\n".join(f"mm: {line}" for line in str(error).splitlines()), file=sys.stderr)
        return USAGE_ERROR


def _facade(options: argparse.Namespace, settings: Settings, cwd: Path) -> int:
    from minime_agent.oneshot.stdin import is_piped

    if options.prompt is None and not is_piped():
        from minime_agent.repl.run import talk

        recorder, cwd = _recorder(options, cwd)
        return talk(settings, cwd, recorder)
    from minime_agent.oneshot.run import answer

    text = _question(options.prompt or "")
    if not text:
        print("mm: there is no question: mm -p TEXT, or text through a pipe", file=sys.stderr)
        return USAGE_ERROR
    if options.resume:
        print("mm: -r asks at the terminal; with a question it is -c or --session ID", file=sys.stderr)
        return USAGE_ERROR
    recorder, cwd = _recorder(options, cwd)
    return answer(settings, cwd, text, options.output_format, recorder)


def _recorder(options: argparse.Namespace, cwd: Path) -> tuple[Recorder | None, Path]:
    """The session that the flags name, and the folder that it is in: its own unless --cwd says another."""
    from minime_agent.engine.opening import Wanted, open_recorder
    from minime_agent.store.sessions import SessionStore

    store = SessionStore()
    if options.resume:
        from minime_agent.repl.choosing import choose

        options.session = str(choose(store, cwd) or "")
    wanted = Wanted(
        keep=not options.no_session,
        last=options.last,
        session=options.session or "",
        name=options.name or "",
    )
    recorder = open_recorder(store, wanted, cwd)
    if recorder and options.last and not recorder.path():
        print("mm: there is no session of this folder yet: a new one begins", file=sys.stderr)
    own = Path(recorder.cwd) if recorder and recorder.cwd and options.cwd is None else cwd
    return recorder, own if own.is_dir() else cwd


def _serve(options: argparse.Namespace) -> int:
    """Serves the protocol. Settings are read when a session begins: the client is told what is wrong."""
    import asyncio

    from minime_agent.acp.server import serve

    def make_session(cwd: Path, recorder: Recorder | None) -> Session:
        from minime_agent.engine.session import Session

        return Session(_settings(options), cwd, recorder=recorder)

    return asyncio.run(serve(make_session, keep=not options.no_session))


def _settings(options: argparse.Namespace) -> Settings:
    from minime_agent.config.flags import set_by
    from minime_agent.config.load import api_key

    whole = set_by(options, os.environ)
    settings = whole.settings(api_key(whole.values, os.environ))
    if settings.tools is not None:
        from minime_agent.tools.selection import check

        check(settings.tools, whole.sources["tools"])
    return settings


def _question(text: str) -> str:
    """The question: the text of -p, what comes through a pipe, or both, one after the other."""
    from minime_agent.oneshot.stdin import is_piped, piped_text

    # Bytes that are not what the locale says are the UTF-8 that they are, or nearly are.
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    piped = piped_text(wait=not text) if is_piped() else ""
    return "\n\n".join(part for part in (text.strip(), piped.strip()) if part)


def _folder(cwd: Path | None) -> Path:
    from minime_agent.config.check import ConfigError

    if cwd is None:
        return Path.cwd()
    if not cwd.is_dir():
        raise ConfigError(f"--cwd: there is no folder {cwd}")
    return cwd.resolve()


def _parser() -> argparse.ArgumentParser:
    import argparse

    from minime_agent.config.flags import add_flags

    parser = argparse.ArgumentParser(
        prog="mm",
        description="Mini Me: an agent for local models. Without -p or --acp it talks on the terminal.",
        epilog="`mm model` installs and chooses the embedded model; `mm config` checks and shows the "
        "settings. They come from --config, MM_CONFIG, or agent.yaml in the user's configuration "
        "folder, and from variables such as MM_BASE_URL and MM_MODEL; the key from MM_API_KEY.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "-p", "--prompt", nargs="?", const="", metavar="TEXT", help="ask one question (also through a pipe)"
    )
    parser.add_argument("--output-format", choices=("text", "json", "stream-json"), default="text")
    parser.add_argument("--acp", action="store_true", help="serve an editor or Sidekicks on stdin and stdout")
    add_flags(parser)
    _add_session_flags(parser)
    parser.add_argument("--cwd", type=Path, metavar="FOLDER", help="the working folder")
    parser.add_argument("--version", action="store_true")
    return parser


def _add_session_flags(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "-c", "--continue", dest="last", action="store_true", help="go on with the folder's last session"
    )
    which.add_argument("-r", "--resume", action="store_true", help="choose a session of the folder")
    which.add_argument(
        "--session",
        metavar="ID",
        help="go on with a session: (the start of) its id, its name, its file",
    )
    which.add_argument("--no-session", action="store_true", help="keep nothing of the conversation")
    parser.add_argument("--name", metavar="NAME", help="the session's name")
