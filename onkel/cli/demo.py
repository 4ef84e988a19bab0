"""`onkel demo`: one million points of a synthetic stream, one pass, six learners."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from onkel.cli import options as o


def demo(
    instances: Annotated[
        int, typer.Option("--instances", min=1, help="Rows of the stream.")
    ] = 1_000_000,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PICTURE", help="Where to draw the curves.")
    ] = Path("demo.png"),
    seed: o.SeedOption = 0,
) -> None:
    """Watch six learners go through a synthetic stream.

    [bold]Examples[/bold]

    \b
    onkel demo --instances 100000
    """
    from onkel.cli.demonstration import demonstrate

    o.check_place("--output", output)
    demonstrate(instances, output, seed)
