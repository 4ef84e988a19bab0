"""The command line: all commands together."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from onkel.cli.compare import compare
from onkel.cli.datasets import datasets_app
from onkel.cli.demo import demo
from onkel.cli.describe import describe
from onkel.cli.errors import UsageError, guarded, help_of
from onkel.cli.evaluate import evaluate
from onkel.cli.export import export
from onkel.cli.predict import predict
from onkel.cli.reproduce import reproduce
from onkel.cli.train import train

app = typer.Typer(
    name="onkel",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from onkel import __version__

        typer.echo(f"onkel {__version__}")
        raise typer.Exit


@app.callback()
def onkel(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Kernel machines that learn from a stream, in one pass, with models of bounded size.

    Results go to standard output, all else to standard error. ONKEL_TRACEBACK=1 shows where an error
    came from.
    """


for command in (describe, train, predict, export, evaluate, compare, reproduce, demo):
    app.command(help=help_of(command), no_args_is_help=command is not demo)(guarded(command))
app.add_typer(datasets_app, name="datasets")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; its exit code."""
    command = typer.main.get_command(app)
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = command.main(args=given, prog_name="onkel", standalone_mode=False)
    except UsageError as error:
        message = error.format_message()
        if message:  # a command without arguments has shown its help
            print(f"onkel: {message} (see {_path(error)} --help)", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, typer.Abort):
        print("onkel: interrupted", file=sys.stderr)
        return 130
    return code if isinstance(code, int) else 0


def _path(error: UsageError) -> str:
    return error.ctx.command_path if error.ctx else "onkel"
