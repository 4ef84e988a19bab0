"""The command line, its errors: one line that says what is wrong and what to do, and an exit code."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

#: The class of wrong usage, whichever copy of click typer brings.
UsageError: Any = typer.BadParameter.__base__


class Complaint(Exception):  # noqa: N818
    """What the user is told in one line, before the command ends with this code."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def misuse(message: str) -> Complaint:
    """A complaint about the command line itself."""
    return Complaint(message, 2)


def guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, with every error turned into one line on standard error and an exit code."""

    @functools.wraps(command)
    def careful(*arguments: Any, **options: Any) -> Any:
        try:
            command(*arguments, **options)
            sys.stdout.flush()
        except (typer.Exit, typer.Abort, UsageError):
            raise
        except BrokenPipeError:  # the reader has seen enough: no error
            silence_stdout()
            raise typer.Exit(0) from None
        except BaseException as error:
            if os.environ.get("ONKEL_TRACEBACK"):
                raise
            message, code = explained(error)
            print(f"onkel: {message}", file=sys.stderr)
            raise typer.Exit(code) from None

    return careful


def help_of(command: Callable[..., Any]) -> str:
    """The docstring with its paragraphs on one line each, to be wrapped to the terminal's width.

    Paragraphs that begin with a backspace stay as they are: examples.
    """
    text = inspect.cleandoc(command.__doc__ or "")
    paragraphs = [p if "\b" in p else " ".join(p.split()) for p in text.split("\n\n")]
    return "\n\n".join(paragraphs)


#: What the rooms say of Python's parameters, as the command line says it.
PHRASES = {
    'Pass target="..."': "Name it with --target",
    "pass n_features=": "use --n-features ",
    "leave out target=": "leave out --target ",
    "or say which format it is": "or say with --format which format it is",
    "Declare every label in the first call: partial_fit(X, y, classes=...).": (
        "Name every label with --classes."
    ),
    "kinds names": "--categorical names",
    'open the stream with labels="text"': "give the labels as text throughout",
    'for regression open the stream with labels="number"': "for regression use --task regression",
}


def explained(error: BaseException) -> tuple[str, int]:
    """What to tell of an error, and the exit code."""
    text = " ".join(str(error).split())
    for phrase, ours in PHRASES.items():
        text = text.replace(phrase, ours)
    if isinstance(error, KeyboardInterrupt):
        return f"interrupted; {text}" if text else "interrupted", 130
    if type(error).__name__ == "UnexpectedCell":
        return unexpected_cell(error), 1
    if isinstance(error, SystemExit):
        return text, error.code if isinstance(error.code, int) else 1
    if isinstance(error, Complaint):
        return text, error.code
    if isinstance(error, OSError):
        if error.filename is not None and error.strerror:
            text = f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
        return text, 1
    if isinstance(error, MemoryError):
        return f"not enough memory. {text}".strip(), 1
    if isinstance(error, (ValueError, TypeError, ImportError)):
        return text, 1
    name = type(error).__name__
    return f"{name}: {text} (unexpected; ONKEL_TRACEBACK=1 shows where)", 1


def unexpected_cell(error: Any) -> str:
    """A cell that is not of its column's kind: the rows may be shuffled, so that their numbers tell nothing."""
    return (
        f"column {error.column!r}: {error.cell!r} is not a {error.kind}, as the first rows' cells are. If the column "
        f"holds names, use --categorical {error.column}; --ignore {error.column} leaves it out, and --skip-bad-lines "
        f"takes such cells for gaps"
    )


def silence_stdout() -> None:
    """Point standard output nowhere, so that closing it at exit does not fail once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):  # standard output is no file, as in a test
        pass
    finally:
        os.close(nowhere)
