"""The commands in one application."""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from labelspan import __version__
from labelspan.lab.cli.output import say
from labelspan.system import closed_folder, install_hint

# Errors that a user can repair: one line, not a traceback.
EXPECTED = (ValueError, OSError, ImportError, RuntimeError)

#: Exit codes: success; some cells failed, or a defect was found; wrong use; interrupted.
OK, PARTLY, USAGE, INTERRUPTED = 0, 1, 2, 130

HELP = """Multi-label dimensionality reduction: compare, choose, reduce, predict, describe,
reproduce.

Exit codes: 0 success; 1 some cells failed or problems were found; 2 wrong use or unusable
files; 130 interrupted (run the same command again to resume)."""


COMMANDS = (
    "compare", "choose", "report", "reduce", "predict", "describe", "methods", "reproduce",
)  # fmt: skip
#: Loaded by name when called: the workbench does not import the reproductions.
ELSEWHERE = {"reproduce": "labelspan.papers._command"}


def build(arguments: Sequence[str] = ()) -> Any:
    """Make the application; imports only the command that the arguments begin with, for speed."""
    import typer

    app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode=None)
    for name in [n for n in COMMANDS if n in arguments[:1]] or COMMANDS:
        module = import_module(ELSEWHERE.get(name, f"labelspan.lab.cli._{name}"))
        app.command(name)(_interruptible(module.command))
    app.callback()(_options())
    return app


def _interruptible(command: Callable[..., None]) -> Callable[..., None]:
    """End with a message and exit code 130 on Ctrl-C, in every version of typer."""

    @functools.wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except KeyboardInterrupt:
            _end_interrupted()

    return wrapped


def _end_interrupted() -> NoReturn:
    say("interrupted; finished results are stored, run the same command again to resume")
    sys.exit(INTERRUPTED)


def _options() -> Callable[..., None]:
    import typer

    def show(asked: bool) -> None:
        if asked:
            print(f"labelspan {__version__}")
            raise typer.Exit

    def options(
        version: bool = typer.Option(
            False, "--version", callback=show, is_eager=True, help="Show the version and exit."
        ),
    ) -> None:
        pass

    return options


def main() -> None:
    """Run the command; errors that a user can repair are one line on the standard error."""
    try:
        app = build(sys.argv[1:])
    except ImportError as error:
        say(f"{error}; {install_hint('cli')}")
        sys.exit(USAGE)
    except KeyboardInterrupt:
        # Imports take seconds if the computer is busy.
        _end_interrupted()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warnings_in_a_line()
            app()
    except EXPECTED as error:
        if os.environ.get("LABELSPAN_DEBUG"):
            raise
        say(explained(error))
        sys.exit(USAGE)


def _warnings_in_a_line() -> Callable[..., None]:
    """Print each text once; Python's own count restarts when the filters change."""
    said = set()

    def show(message: Warning | str, *_: Any) -> None:
        text = " ".join(str(message).split())
        if text not in said:
            said.add(text)
            say(text)

    return show


def explained(error: Exception) -> str:
    """Describe in one line what is wrong and how to repair it."""
    if isinstance(error, PermissionError) and error.filename:
        path = Path(os.fsdecode(error.filename))
        if closed := closed_folder(path.absolute().parent):
            return f"the folder {closed} cannot be opened; change its permissions."
        if path.exists() and not os.access(path, os.R_OK):
            return f"{path} is not readable; change its permissions."
        return f"{path} is not writable; choose another place with --out."
    if isinstance(error, FileNotFoundError) and error.filename:
        return f"there is no file {os.fsdecode(error.filename)}."
    return " ".join(str(error).split("\n"))
