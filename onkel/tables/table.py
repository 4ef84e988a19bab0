"""Rows of named columns as they are: numbers, words, dates and gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onkel.tables.column import BOOLEAN, DATE, NUMBER, WORDS, Column, joined_columns
from onkel.tables.intake import columns_of


class Table:
    """Some rows of a table: what `open_stream(..., raw=True)` gives, and `TableEncoder` takes.

    A table is not changed once it is made. ``table["name"]`` is a column as a NumPy array,
    ``table[rows]`` are some rows (a slice, numbers of rows, or a mask). To make one, take :meth:`of`.

    Parameters
    ----------
    cells : dict of Column
        The columns by their names, as onkel keeps them.
    rows : int
        How many rows they have.

    Attributes
    ----------
    cells : dict of Column
        The columns by their names.
    readings : dict
        What readers made of the columns, so that they are read once.

    Examples
    --------
    >>> table = Table.of({"age": [31, None, 40], "job": ["cook", "?", "clerk"]})
    >>> table
    <Table of 3 rows: age, job>
    >>> table["age"], table[1:]["job"].tolist()
    (array([31., nan, 40.]), ['?', 'clerk'])
    """

    def __init__(self, cells: dict[str, Column], rows: int) -> None:
        self.cells, self._rows = cells, rows
        self.readings: dict[tuple[Any, ...], Any] = {}  # what readers made of columns, to keep it

    @classmethod
    def of(cls, X: Any) -> Table:
        """Take `X` as a table.

        Parameters
        ----------
        X : pandas, polars or Arrow table, dict of columns, array or Table
            The rows.

        Returns
        -------
        Table
            The same rows; a `Table` is given back as it is.
        """
        return X if isinstance(X, cls) else cls(*columns_of(X))

    @property
    def columns(self) -> list[str]:
        """The columns' names."""
        return list(self.cells)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self._rows, len(self.cells)

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, asked: Any) -> Any:
        if isinstance(asked, str):
            return as_array(self.cells[asked])
        if isinstance(asked, slice) and asked.indices(self._rows) == (0, self._rows, 1):
            return self
        taken = {name: column.taken(asked) for name, column in self.cells.items()}
        table = Table(taken, len(np.arange(self._rows)[asked]))
        # What was read once is not read again.
        plain = {key: each for key, each in self.readings.items() if each.is_plain}
        table.readings = {key: reading.taken(asked) for key, reading in plain.items()}
        return table

    def select(self, names: Sequence[str]) -> Table:
        """Choose columns, in this order.

        Parameters
        ----------
        names : sequence of str
            The columns that are wanted.

        Returns
        -------
        Table
            All rows with these columns alone.
        """
        return Table({name: self.cells[name] for name in names}, self._rows)

    @staticmethod
    def joined(tables: Sequence[Table]) -> Table:
        """Put tables one after the other.

        Parameters
        ----------
        tables : sequence of Table
            Tables that have the same columns.

        Returns
        -------
        Table
            All rows.
        """
        if len(tables) == 1:
            return tables[0]
        cells = {
            name: joined_columns([table.cells[name] for table in tables])
            for name in tables[0].columns
        }
        table = Table(cells, sum(map(len, tables)))
        table.readings = _joined_readings(tables)
        return table

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Give every column as an array.

        Returns
        -------
        dict of ndarray
            The columns by their names.
        """
        return {name: self[name] for name in self.cells}

    def to_pandas(self) -> Any:
        """Make a data frame of the rows (needs pandas).

        Returns
        -------
        pandas.DataFrame
            The rows.
        """
        import pandas

        return pandas.DataFrame(self.to_dict())

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Numbers as a matrix; of a table with words there is none before it is encoded."""
        for name, column in self.cells.items():
            if column.form in WORDS:
                raise TypeError(
                    f"the column {name!r} of this table holds words as they are: encode it with "
                    f"onkel.TableEncoder, for instance in make_stream_pipeline(TableEncoder(), learner)"
                )
        return np.column_stack([column.values for column in self.cells.values()]).astype(dtype)

    def __repr__(self) -> str:
        return f"<Table of {self._rows} rows: {', '.join(self.cells)}>"

    def __getstate__(self) -> dict[str, Any]:
        # The same rows are the same file, in whatever pieces they came.
        cells = {name: column.in_order() for name, column in self.cells.items()}
        return {"cells": cells, "_rows": self._rows, "readings": {}}


def _joined_readings(tables: Sequence[Table]) -> dict[tuple[Any, ...], Any]:
    """What was read of all tables, of columns that have one form in all of them."""
    found = {}
    for key, first in tables[0].readings.items():
        parts = [table.readings.get(key) for table in tables]
        forms = {table.cells[key[0]].form for table in tables}
        if len(forms) == 1 and all(part is not None and part.is_plain for part in parts):
            found[key] = type(first).joined(parts)
    return found


def as_array(column: Column) -> NDArray[Any]:
    """The cells as NumPy has them; gaps are NaN, NaT or None."""
    if column.form == NUMBER:
        return column.values
    if column.form in WORDS:
        return np.array([*column.words, None], object)[column.values]
    if column.form == BOOLEAN:
        booleans = column.values == 1
        gaps = np.isnan(column.values)
        cells: NDArray[Any] = booleans.astype(object) if gaps.any() else booleans
        cells[gaps] = None
        return cells
    assert column.form == DATE
    microseconds = np.round(np.nan_to_num(column.values) * 86400e6).astype(np.int64)
    moments = microseconds.astype("datetime64[us]")
    moments[np.isnan(column.values)] = np.datetime64("NaT")
    return moments
