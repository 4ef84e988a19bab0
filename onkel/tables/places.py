"""Which column of the encoded rows is whose, and the rows that are put together from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


class Places:
    """Columns are given out one after the other, and stay where they are."""

    def __init__(self) -> None:
        self.owners: list[str] = []  # the table's column of each
        self.names: list[str] = []

    def give(self, owner: str, ending: str = "") -> int:
        self.owners.append(owner)
        self.names.append(owner + ending)
        return len(self.names) - 1


class Cells:
    """The cells of encoded rows, gathered feature by feature."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._places: list[Any] = []  # a column's number for all rows, or one a row and −1 for none
        self._values: list[Any] = []

    def put(self, place: int, values: Any) -> None:
        """A number in every row."""
        self._places.append(place)
        self._values.append(values)

    def mark(self, places: NDArray[Any]) -> None:
        """A one in a column of each row's own; nothing where it is −1."""
        self._places.append(places)
        self._values.append(1.0)

    def mark_rows(self, place: int, rows: NDArray[np.bool_]) -> None:
        """A one in some rows."""
        if rows.any():
            self.mark(np.where(rows, place, -1))

    def dense(self, width: int, dtype: Any) -> NDArray[Any]:
        X = np.zeros((self.rows, width), dtype)
        for place, values in zip(self._places, self._values):
            if isinstance(place, int):
                X[:, place] = values
            else:
                rows = np.flatnonzero(place >= 0)
                X[rows, place[rows]] = 1.0
        return X

    def csr(self, width: int, dtype: Any) -> Any:
        shape = (self.rows, len(self._places))
        places, data = np.empty(shape, np.int32), np.empty(shape, dtype)
        for number, (place, values) in enumerate(zip(self._places, self._values)):
            places[:, number], data[:, number] = place, values
        there = places >= 0
        ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
        rows = sparse.csr_matrix((data[there], places[there], ends), (self.rows, width))
        rows.sort_indices()
        return rows
