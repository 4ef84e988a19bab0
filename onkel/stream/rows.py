"""Rows of svmlight text as plain arrays: joined, cut and picked without the checks of CSR."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onkel.stream.svmlight_strict import Row


class Rows(NamedTuple):
    """Rows as CSR has them; the indices count from 0."""

    labels: NDArray[np.float64]
    starts: NDArray[np.int64]  # one more than rows: where in `indices` and `values` each row begins
    indices: NDArray[np.int32]
    values: NDArray[np.float64]


def width_of(rows: Rows) -> int:
    return int(rows.indices.max()) + 1 if len(rows.indices) else 1


def count_rows(rows: Rows) -> int:
    return len(rows.labels)


def as_they_are(rows: Rows) -> Rows:
    return rows


def no_rows() -> Rows:
    return Rows(np.empty(0), np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0))


def joined_rows(parts: list[Rows]) -> Rows:
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0] + [part.starts[-1] for part in parts])
    starts = [part.starts[:-1] + end for part, end in zip(parts, ends)]
    return Rows(
        np.concatenate([part.labels for part in parts]),
        np.concatenate(starts + [ends[-1:]]),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


def cut_rows(rows: Rows, start: int, stop: int) -> Rows:
    if start == 0 and stop == len(rows.labels):
        return rows
    starts = rows.starts[start : stop + 1]
    inside = slice(starts[0], starts[-1])
    # Copies: a view would keep the whole of a block in memory, and share it between chunks.
    return Rows(
        rows.labels[start:stop].copy(),
        starts - starts[0],
        rows.indices[inside].copy(),
        rows.values[inside].copy(),
    )


def picked_rows(rows: Rows, order: NDArray[np.int64]) -> Rows:
    counts = np.diff(rows.starts)[order]
    starts = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(starts[-1]) + np.repeat(rows.starts[:-1][order] - starts[:-1], counts)
    return Rows(rows.labels[order], starts, rows.indices[places], rows.values[places])


def rows_of(lines: list[Row]) -> Rows:
    """Rows that were parsed one by one."""
    return Rows(
        np.array([row.label for row in lines], np.float64),
        np.cumsum([0] + [len(row.indices) for row in lines]),
        np.array([index - 1 for row in lines for index in row.indices], np.int32),
        np.array([value for row in lines for value in row.values], np.float64),
    )
