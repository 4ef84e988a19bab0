"""What people hand in as a table, as columns: told by what it can do, nothing is imported for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from onkel.tables.column import (
    BOOLEAN,
    CATEGORY,
    DATE,
    NUMBER,
    Column,
    coded,
    joined_columns,
    stripped,
)

DAY = 86400.0


def columns_of(X: Any) -> tuple[dict[str, Column], int]:
    """The columns of a table by name, and its number of rows."""
    library = type(X).__module__.partition(".")[0]
    if sparse.issparse(X):
        raise TypeError("a sparse matrix has no words or gaps to encode: pass it to the learner")
    if library == "pandas" and hasattr(X, "columns"):
        found = [(str(name), _from_pandas(X.iloc[:, at])) for at, name in enumerate(X.columns)]
    elif library == "polars" and hasattr(X, "get_columns"):
        found = [(column.name, _from_polars(column)) for column in X.get_columns()]
    elif library == "pyarrow" and hasattr(X, "column_names"):
        found = [(name, from_arrow(X.column(at))) for at, name in enumerate(X.column_names)]
    elif isinstance(X, Mapping):
        found = [(str(name), from_cells(_cells(name, cells))) for name, cells in X.items()]
    else:
        found = _from_matrix(X)
    return _checked(found, X)


def _cells(name: Any, cells: Any) -> Any:
    """What a dict has for a column, which one word is not."""
    if isinstance(cells, (str, bytes)) or not isinstance(cells, Iterable):
        raise ValueError(
            f"the column {str(name)!r} is a single cell, {cells!r}: a dict of columns is needed, "
            f"one row as {{{str(name)!r}: [{cells!r}], ...}}"
        )
    return cells


def _checked(found: list[tuple[str, Column]], X: Any) -> tuple[dict[str, Column], int]:
    columns = dict(found)
    if len(columns) < len(found):
        twice = next(name for name in columns if [n for n, _ in found].count(name) > 1)
        raise ValueError(f"the column {twice!r} is there twice: every column needs its own name")
    lengths = {name: len(column.values) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns have different numbers of rows: {lengths}")
    if not columns:
        rows = 0 if isinstance(X, Mapping) else len(X)
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required."
        )
    return columns, next(iter(lengths.values()))


def from_cells(cells: Any) -> Column:
    """A column of an array or a list of cells: None, NaN, NaT and masked cells are gaps.

    >>> from_cells(np.array(["2024-01-01T12:00", "NaT"], "datetime64[m]")).values.tolist()
    [19723.5, nan]
    """
    library = type(cells).__module__.partition(".")[0]
    if library == "pandas":
        return _from_pandas(cells)
    if library == "polars":
        return _from_polars(cells)
    if library == "pyarrow":
        return from_arrow(cells)
    array = cells if isinstance(cells, np.ndarray) else _as_array(cells)
    if array.ndim != 1:
        raise ValueError(f"a column has one dimension, got an array of shape {array.shape}")
    mask = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    array = np.asarray(array)
    kind = array.dtype.kind
    if kind in "biuf":
        column = Column(BOOLEAN if kind == "b" else NUMBER, array.astype(np.float64))
    elif kind == "M":
        column = Column(DATE, _days(array))
    elif kind == "m":
        column = Column(NUMBER, _in_days(array) * DAY)
    else:
        column = _from_objects(array.tolist())
    if mask is not None and mask.any():
        gap = np.nan if column.values.dtype.kind == "f" else -1
        column = column._replace(values=np.where(mask, gap, column.values))
    return column


def _as_array(cells: Any) -> NDArray[Any]:
    cells = list(cells)
    array = np.empty(len(cells), object)  # np.array would look into cells that are sequences
    array[:] = cells
    return array


def _from_objects(cells: list[Any]) -> Column:
    """Python objects: booleans, numbers or dates where all are of one kind, else words."""
    gaps = [cell is None or cell != cell for cell in cells]
    kinds = {type(cell) for cell, gap in zip(cells, gaps) if not gap}
    if kinds and kinds <= {bool, np.bool_}:
        values = [np.nan if gap else float(cell) for cell, gap in zip(cells, gaps)]
        return Column(BOOLEAN, np.array(values))
    if kinds and all(issubclass(kind, (int, float, np.number)) for kind in kinds):
        values = [np.nan if gap else float(cell) for cell, gap in zip(cells, gaps)]
        return Column(NUMBER, np.array(values))
    # Dates and moments of Python are written in ISO form, which is read as such.
    return coded(None if gap else str(cell) for cell, gap in zip(cells, gaps))


def _from_pandas(series: Any) -> Column:
    name = str(series.dtype)
    if name == "category":
        words = [str(word) for word in series.cat.categories]
        return stripped(series.cat.codes.to_numpy(), words, CATEGORY)
    kind = getattr(series.dtype, "kind", "O")
    if kind in "biuf":  # NumPy's types, and pandas' own that know gaps
        values = series.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
        return Column(BOOLEAN if kind == "b" else NUMBER, values)
    if kind == "M":
        moments = (
            series.dt.tz_convert(None) if hasattr(series.dt, "tz") and series.dt.tz else series
        )
        return Column(DATE, _days(moments.to_numpy(dtype="datetime64[us]")))
    if kind == "m":
        return from_cells(series.to_numpy())
    codes, words = series.factorize()
    if all(isinstance(word, str) for word in words):
        return stripped(codes, list(words))
    return from_cells(series.to_numpy(dtype=object, na_value=None))


def _from_polars(series: Any) -> Column:
    kind = str(series.dtype)
    if kind.startswith(("Categorical", "Enum")):
        return coded(series.to_list(), CATEGORY)
    if kind == "Boolean":
        return Column(BOOLEAN, np.array(series.to_list(), np.float64))  # None becomes NaN
    if series.dtype.is_numeric():
        return Column(NUMBER, np.array(series.to_numpy(), np.float64))
    if kind.startswith(("Date", "Datetime", "Duration")):
        return from_cells(series.to_numpy())
    return _from_objects(series.to_list())


def from_arrow(column: Any) -> Column:
    """A column of an Arrow table, or an Arrow array."""
    if hasattr(column, "combine_chunks"):
        column = column.combine_chunks()
    if hasattr(column, "num_chunks"):  # more than an array can hold, or none at all
        parts = [from_arrow(part) for part in column.chunks]
        return joined_columns(parts) if parts else coded([])
    kind = str(column.type)
    if kind.startswith("dictionary"):
        words = [None if word is None else str(word) for word in column.dictionary.to_pylist()]
        codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return stripped(codes, words, CATEGORY)
    if kind in ("string", "large_string", "string_view"):
        coding = column.dictionary_encode()
        codes = coding.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return stripped(codes, coding.dictionary.to_pylist())
    if kind == "bool":
        return from_cells(column.to_pylist()) if column.null_count else _booleans(column)
    if kind.startswith(("int", "uint", "float", "double", "halffloat")):
        return Column(NUMBER, column.cast("float64", safe=False).to_numpy(zero_copy_only=False))
    if kind.startswith(("timestamp", "date", "duration")):
        return from_cells(column.to_numpy(zero_copy_only=False))
    return _from_objects(column.to_pylist())


def _booleans(column: Any) -> Column:
    return Column(BOOLEAN, column.to_numpy(zero_copy_only=False).astype(np.float64))


def _from_matrix(X: Any) -> list[tuple[str, Column]]:
    """An array of numbers or of objects; its columns are called x0, x1, ..."""
    array = X if isinstance(X, np.ndarray) else np.asarray(X, object)
    if array.ndim != 2:
        raise ValueError(
            f"a table is needed: a pandas, polars or Arrow table, a dict of columns, or an array of two "
            f"dimensions; got {type(X).__name__} of shape {array.shape}. Reshape your data: a single row "
            f"as X.reshape(1, -1), a single column as X.reshape(-1, 1); a row of pandas is X.iloc[[0]], and "
            f"a list of dicts becomes a table by pandas.DataFrame(rows)."
        )
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: columns must be numbers, words or dates")
    return [(f"x{place}", from_cells(array[:, place])) for place in range(array.shape[1])]


def _days(moments: NDArray[Any]) -> NDArray[np.float64]:
    return _in_days(moments - np.datetime64(0, "D"))


def _in_days(spans: NDArray[Any]) -> NDArray[np.float64]:
    """Spans of time in days, NaN for NaT."""
    days = spans / np.timedelta64(1, "D")
    return np.asarray(days, np.float64)
