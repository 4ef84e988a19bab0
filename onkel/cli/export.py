"""`onkel export`: a model file as ONNX, for programs without onkel."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from onkel.cli import options as o
from onkel.cli.printing import json_text


class Float(StrEnum):
    """A type of numbers."""

    float32 = "float32"
    float64 = "float64"


def export(
    model_file: Annotated[
        Path, typer.Argument(metavar="MODEL", help="What `onkel train` wrote.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PATH", help="The ONNX file to write.")
    ],
    dtype: Annotated[
        Float, typer.Option("--dtype", help="Type of the numbers that go in and come out.")
    ] = Float.float32,
    arithmetic: Annotated[
        Float,
        typer.Option(
            "--arithmetic", help="Type to compute in: float32 makes smaller, less exact models."
        ),
    ] = Float.float64,
    as_json: o.JsonOption = False,
) -> None:
    """Write a model file as ONNX, with its scaling or encoder, and its probabilities.

    Any ONNX runtime runs it: all operators are standard ones. A model of a table has one input a column: numbers
    with NaN for gaps, words as text, dates as days since 1970 in UTC.

    [bold]Examples[/bold]

    \b
    onkel export income.onkel -o income.onnx
    onkel export houses.onkel -o houses.onnx --dtype float64
    """
    from onkel.atomic import replaced
    from onkel.io import load, to_onnx

    made = to_onnx(load(model_file), dtype=dtype.value, arithmetic=arithmetic.value)
    written = made.SerializeToString()
    with replaced(output) as file:
        file.write(written)
    facts = {
        "model": made.graph.name,
        "inputs": [each.name for each in made.graph.input],
        "outputs": [each.name for each in made.graph.output],
        "bytes": len(written),
    }
    print(json_text(facts) if as_json else f"{output}: {told(facts)}")


def told(facts: dict[str, Any]) -> str:
    """What was written, in a line."""
    inputs = facts["inputs"] if len(facts["inputs"]) < 8 else [f"{len(facts['inputs'])} columns"]
    size = f"{facts['bytes'] / 1e6:.2f} MB"
    return f"{facts['model']}, {', '.join(inputs)} to {', '.join(facts['outputs'])}, {size}"
