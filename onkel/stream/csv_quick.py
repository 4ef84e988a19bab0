"""Blocks of CSV lines in which all is well, column by column: by pyarrow, or by splitting.

Both give up (None) at anything unusual; reading row by row then finds out what it is.
"""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import numpy as np


class Layout(NamedTuple):
    """What the header says, and what is wanted of it."""

    columns: list[str]
    delimiter: str
    wanted: list[str]
    texts: frozenset[str]  # the wanted columns that hold text, not numbers


def quick_columns(text: bytes, layout: Layout) -> list[Any] | None:
    """The wanted columns of a block: arrays of float64, lists of str. None if it is unusual."""
    if not is_plain(text) or has_odd_quotes(text, layout.delimiter):
        return None
    try:
        import pyarrow
        from pyarrow import csv
    except ImportError:
        return _by_splitting(text, layout)
    types = {name: "string" if name in layout.texts else "double" for name in layout.wanted}
    try:
        table = csv.read_csv(
            io.BytesIO(text),
            csv.ReadOptions(column_names=layout.columns, use_threads=False),
            csv.ParseOptions(
                delimiter=layout.delimiter, quote_char='"' if b'"' in text else False
            ),
            csv.ConvertOptions(
                column_types=types, include_columns=layout.wanted, null_values=[],
                strings_can_be_null=False,
            ),
        )  # fmt: skip
    except (pyarrow.ArrowException, UnicodeDecodeError):
        return None
    if table.num_rows != text.count(b"\n"):  # blank lines, or a quoted cell over several
        return None
    return [
        column.to_pylist() if name in layout.texts else column.to_numpy()
        for name, column in zip(layout.wanted, table.columns)
    ]


def is_plain(text: bytes) -> bool:
    """Whether there is something, and every carriage return is part of the end of a line."""
    # pyarrow takes a lone carriage return for the end of a line, we do not.
    lone = b"\r" in text and text.count(b"\r") > text.count(b"\r\n")
    return bool(text) and not lone and not text.isspace()


def has_odd_quotes(text: bytes, delimiter: str) -> bool:
    """Whether quotes are anywhere but around whole cells: pyarrow would read "1"2 as 12."""
    if b'"' not in text:
        return False
    data = np.frombuffer(b"\n" + text, np.uint8)
    quotes = np.flatnonzero(data == ord('"'))
    if len(quotes) % 2:
        return True
    around = [data[quotes[::2] - 1], data[quotes[1::2] + 1]]
    return not np.isin(around, [ord(delimiter), ord("\n"), ord("\r")]).all()


def _by_splitting(text: bytes, layout: Layout) -> list[Any] | None:
    # float() would take 1_000, and digits of other scripts.
    if b"_" in text or b'"' in text or not text.isascii():
        return None
    rows = [line.split(layout.delimiter) for line in text.decode("ascii").split("\n")[:-1]]
    if any(len(cells) != len(layout.columns) for cells in rows):
        return None
    by_name = dict(zip(layout.columns, zip(*rows)))
    try:
        return [
            list(by_name[name])
            if name in layout.texts
            else np.array(list(map(float, by_name[name])))
            for name in layout.wanted
        ]
    except ValueError:
        return None
