"""Rows of whatever a pipeline is given: how many there are, some of them, and pieces put together."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from onkel.tables.table import Table


def count_rows(X: Any) -> int:
    """How many rows a table, a matrix, a dict of columns or a list has."""
    if isinstance(X, Mapping):
        return len(next(iter(X.values()), ()))
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def some_rows(X: Any, start: int, stop: int) -> Any:
    """Rows `start` to `stop`; all of `X` where these are all."""
    if start == 0 and stop >= count_rows(X):
        return X
    if isinstance(X, Mapping):
        return {name: cells[start:stop] for name, cells in X.items()}
    if hasattr(X, "iloc"):
        return X.iloc[start:stop]
    if hasattr(X, "column_names"):  # Arrow
        return X.slice(start, stop - start)
    return X[start:stop]


def own_rows(X: Any) -> Any:
    """The same rows in memory that nobody else writes to."""
    if isinstance(X, Mapping):
        return {name: own_rows(cells) for name, cells in X.items()}
    # Tables are never changed, nor are those of Arrow and polars, which have no such method.
    return X if isinstance(X, Table) or not hasattr(X, "copy") else X.copy()


def joined_rows(parts: Sequence[Any]) -> Any:
    """All rows, one part after the other."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, Table):
        return Table.joined(parts)
    if sparse.issparse(first):
        return sparse.vstack(parts, format="csr")
    if isinstance(first, Mapping) or hasattr(first, "column_names"):
        return Table.joined([Table.of(part) for part in parts])
    library = sys.modules[type(first).__module__.partition(".")[0]]
    if hasattr(first, "columns") or hasattr(first, "to_frame"):  # data frames and their columns
        return library.concat(list(parts))
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    return [row for part in parts for row in part]
