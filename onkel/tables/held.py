"""Rows that a pipeline holds until a block of them is complete, and how far its stream has come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onkel.tables.rows import count_rows, joined_rows, own_rows, some_rows


class Rows(NamedTuple):
    """Rows that wait: features, targets and weights."""

    X: Any
    y: Any
    weights: Any

    def part(self, start: int, stop: int) -> Rows:
        return Rows(*(None if each is None else some_rows(each, start, stop) for each in self))

    def owned(self) -> Rows:
        """Copies, to be kept after the user's call has ended."""
        return Rows(*(None if each is None else own_rows(each) for each in self))

    @staticmethod
    def joined(parts: Sequence[Rows]) -> Rows:
        if any(part.weights is not None for part in parts):  # then all rows have one
            parts = [part._replace(weights=part.all_weights()) for part in parts]
        return Rows(*(None if each[0] is None else joined_rows(each) for each in zip(*parts)))

    def all_weights(self) -> NDArray[np.float64]:
        rows = count_rows(self.X)
        return np.ones(rows) if self.weights is None else np.asarray(self.weights, np.float64)


Routes = dict[str, dict[str, Any]]  # parameters of partial_fit by step


class Progress(NamedTuple):
    """How far the stream has come, and what waits for the end of a block."""

    rows: int
    waiting: tuple[Rows, ...] = ()
    # During the first look: the steps as they were before, and what the calls said so far.
    untouched: tuple[Any, ...] = ()
    routes: Routes | None = None
    answers: bool = False  # whether there is a provisional model
    settled: bool = False  # whether the transformers stay as they are, for shards to have the same

    @property
    def looking(self) -> bool:
        return bool(self.untouched)


def checked_length(chunk: Rows) -> int:
    n_rows = count_rows(chunk.X)
    if not n_rows:
        raise ValueError("Found array with 0 sample(s): at least one row is needed to learn from")
    for name, values in (("y", chunk.y), ("sample_weight", chunk.weights)):
        if values is not None and hasattr(values, "__len__") and len(values) != n_rows:
            raise ValueError(f"X has {n_rows} rows, but {name} has {len(values)}")
    return n_rows
