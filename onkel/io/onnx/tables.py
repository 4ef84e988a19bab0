"""The table encoder as operators: one input a column, and rows of numbers.

Numbers and booleans come as numbers, with NaN for a gap; dates as days since 1970 in UTC, in double precision; words
as text, without blanks around them. What is not of its column's kind is a gap.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from onkel.io.errors import NotExportable
from onkel.io.onnx.answers import flat
from onkel.io.onnx.graph import ML, Graph
from onkel.tables.dates import Dates
from onkel.tables.encoding import Encoding
from onkel.tables.kinds import Empty
from onkel.tables.numbers import Booleans, Numbers
from onkel.tables.reading import LARGEST
from onkel.tables.spread import FARTHEST
from onkel.tables.words import Words

#: What a cell of an input is.
NUMBERS = "numbers; NaN is a gap"
BOOLEANS = "1 or 0; all else is a gap"
DAYS = "days since 1970-01-01T00:00 in UTC, with fractions; NaN is a gap"
TEXT = "text without blanks around it; these are gaps: {}"


class Cells(NamedTuple):
    """What a column becomes: cells (rows x places), their places, and the rows that have a gap (rows x 1)."""

    cells: str
    places: list[int]
    gaps: str


def input_kinds(encoding: Encoding, dtype: str) -> dict[str, tuple[str, str]]:
    """The inputs: type and meaning of the columns that are used."""
    words = TEXT.format(", ".join(map(repr, encoding.rules.missing)))
    kinds = {Numbers: (dtype, NUMBERS), Booleans: (dtype, BOOLEANS), Dates: ("float64", DAYS)}
    used = {name: each for name, each in encoding.features.items() if each.is_used}
    return {name: kinds.get(type(each), ("str", words)) for name, each in used.items()}


def encoded(graph: Graph, encoding: Encoding, inputs: dict[str, str], width: int) -> str:
    """Rows of so many columns, of which those beyond all places are 0; computed in double precision."""
    columns = [
        READERS[type(encoding.features[name])](graph, encoding, name, column)
        for name, column in inputs.items()
    ]
    marks, others = [], []
    for name, each in zip(inputs, columns):
        own = encoding.gap_places.get(name)
        marks += [] if own is None else [Cells(graph.cast(each.gaps, "float64"), [own], each.gaps)]
        others += [each.gaps] if own is None else []
    if others:
        marks.append(Cells(either(graph, others), [encoding.other_gaps], ""))
    pieces = [each for each in (*columns, *marks) if each.places]
    nothing = graph.op("Mul", pieces[0].cells, double(graph, 0.0))
    together = graph.op("Concat", *(each.cells for each in pieces), nothing, axis=1)
    places = [place for each in pieces for place in each.places]
    order = np.full(width, len(places))  # a column of zeros
    order[places] = np.arange(len(places))
    rows = graph.op("Gather", together, graph.constant(order.astype(np.int64)), axis=1)
    return graph.cast(graph.cast(rows, encoding.rules.dtype), graph.arithmetic)


def either(graph: Graph, gaps: list[str]) -> str:
    """1 where there is a gap in any of some columns."""
    counted = graph.op("Sum", *(graph.cast(each, "float64") for each in gaps))
    return graph.op("Min", counted, double(graph, 1.0))


def double(graph: Graph, value: Any) -> str:
    return graph.constant(np.asarray(value, np.float64))


def outside(graph: Graph, cells: str) -> str:
    """Gaps: cells that are no number, or too large for one."""
    return graph.op("Not", graph.op("LessOrEqual", graph.op("Abs", cells), double(graph, LARGEST)))


def unless(graph: Graph, gaps: str, cells: str, value: float = 0.0) -> str:
    """The cells, a value for gaps."""
    return graph.op("Where", gaps, double(graph, value), cells)


def spread_out(graph: Graph, cells: str, spread: Any, gaps: str) -> str:
    """Numbers centred and scaled by what is known of them."""
    inside = graph.op("Clip", cells, double(graph, spread.low), double(graph, spread.high))
    away = graph.op("Sub", inside, double(graph, spread.mean))
    units = graph.op("Div", away, double(graph, spread.unit))
    ends = double(graph, -FARTHEST), double(graph, FARTHEST)
    return unless(graph, gaps, graph.op("Clip", units, *ends))


def numbers(graph: Graph, encoding: Encoding, name: str, column: str) -> Cells:
    feature: Any = encoding.features[name]
    cells = graph.cast(column, "float64")
    gaps = outside(graph, cells)
    if not feature.spread.deviation:
        return Cells(cells, [], gaps)
    return Cells(spread_out(graph, cells, feature.spread, gaps), [feature.place], gaps)


def booleans(graph: Graph, encoding: Encoding, name: str, column: str) -> Cells:
    feature: Any = encoding.features[name]
    cells = graph.cast(column, "float64")
    known = [graph.op("Equal", cells, double(graph, value)) for value in (0.0, 1.0)]
    gaps = graph.op("Not", graph.op("Or", *known))
    share = feature.ones / max(1, feature.count)
    return Cells(unless(graph, gaps, cells, share), [feature.place], gaps)


def dates(graph: Graph, encoding: Encoding, name: str, column: str) -> Cells:
    feature: Any = encoding.features[name]
    days = graph.cast(column, "float64")
    gaps = outside(graph, days)
    pieces, places = [], []
    if feature.spread.deviation:
        pieces, places = [spread_out(graph, days, feature.spread, gaps)], [feature.place]
    for number, length in enumerate(feature.circles.values()):
        turns = graph.op("Div", days, double(graph, length))
        part = graph.op("Sub", turns, graph.op("Floor", turns))
        angle = graph.op("Mul", part, double(graph, 2 * math.pi))
        pieces += [unless(graph, gaps, graph.op(wave, angle)) for wave in ("Sin", "Cos")]
        places += [feature.place + 1 + 2 * number + turn for turn in (0, 1)]
    return Cells(graph.op("Concat", *pieces, axis=1), places, gaps)


def words(graph: Graph, encoding: Encoding, name: str, column: str) -> Cells:
    """A column for each word; those of their own are found by name, all others are rare."""
    feature: Any = encoding.features[name]
    if feature.counts is None:
        raise NotExportable(
            f"column {name!r} has more words than max_words={encoding.rules.settings.max_words}, and the others are "
            f"hashed, which ONNX cannot do: learn with a larger max_words or min_count, or leave the column out."
        )
    places = [feature.rare, *feature.own.values()]
    codes = dict(zip(feature.own, range(1, len(places))))
    numbers, gaps = coded(graph, column, codes, encoding.rules.missing)
    marks = graph.op("Equal", numbers, graph.constant(np.arange(len(places), dtype=np.int64)))
    return Cells(graph.cast(marks, "float64"), places, gaps)


def empty(graph: Graph, encoding: Encoding, name: str, column: str) -> Cells:
    """A column that had only gaps so far: whatever comes, nothing is known but whether it is one."""
    codes, gaps = coded(graph, column, {}, encoding.rules.missing)
    return Cells(codes, [], gaps)


def coded(
    graph: Graph, column: str, codes: dict[str, int], missing: tuple[str, ...]
) -> tuple[str, str]:
    """The numbers (rows x 1) of words, 0 for those without one and -1 for gaps; and the gaps."""
    numbered = codes | dict.fromkeys(["", *missing], -1)
    keys, values = [key.encode() for key in numbered], list(numbered.values())
    found = graph.op(
        "LabelEncoder", flat(graph, column), domain=ML,
        keys_strings=keys, values_int64s=values, default_int64=0,
    )  # fmt: skip
    numbers = graph.op("Unsqueeze", found, graph.constant(np.array([1], np.int64)))
    return numbers, graph.op("Equal", numbers, graph.constant(np.int64(-1)))


READERS = {Numbers: numbers, Booleans: booleans, Dates: dates, Words: words, Empty: empty}
