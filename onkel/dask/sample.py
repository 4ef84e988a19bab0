"""A look at all partitions: how many rows there are, which labels, and a sample that settings are chosen from.

Every row gets a random number, by (seed, partition, row); the sample is the rows with the smallest ones. So it is
uniform, the sample of two parts comes from their samples, and a task that runs again finds the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from onkel.dask.partitions import Chunk, PartitionError, chunks_of
from onkel.tables.rows import count_rows, joined_rows


class Sample(NamedTuple):
    """Some rows of many."""

    X: Any
    y: Any
    keys: np.ndarray  # the random numbers, in order
    n_rows: int  # of all
    labels: np.ndarray | None  # of all, in order; None of numbers


class Wanted(NamedTuple):
    """What a look at a partition is for."""

    most: int  # rows of the sample
    seed: int
    labelled: bool  # whether labels are to be found
    finite: bool  # whether rows must be numbers


def look(source: Any, name: str, place: int, wanted: Wanted) -> Sample | None:
    """The sample of one partition; None of one without rows."""
    most, seed, labelled, finite = wanted
    random, found = np.random.default_rng((seed, place)), None
    for chunk in chunks_of(source, name):
        rows = count_rows(chunk.X)
        if not rows:
            continue
        if finite:
            check_finite(chunk.X, name)
        labels = labels_of(chunk, name) if labelled else None
        y = None if chunk.y is None else np.asarray(chunk.y)
        part = Sample(chunk.X, y, random.random(rows), rows, labels)
        found = smallest([found, part], most)
    return found


def labels_of(chunk: Chunk, name: str) -> np.ndarray:
    if chunk.y is None:
        raise PartitionError(f"partition {name} has no labels: a classifier needs y.")
    try:
        return np.unique(np.asarray(chunk.y))
    except TypeError as reason:
        raise PartitionError(f"partition {name} has labels of several kinds: {reason}") from None


def check_finite(X: Any, name: str) -> None:
    """Refuse gaps and infinities: told here, they are told with their partition."""
    values = X.data if sparse.issparse(X) else np.asarray(X)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise PartitionError(
            f"partition {name} could not be learned: its rows contain NaN or infinity."
        )


def smallest(samples: Sequence[Sample | None], most: int) -> Sample | None:
    """The sample of all rows of which these are samples."""
    given = [sample for sample in samples if sample is not None]
    if not given:
        return None
    keys = np.concatenate([sample.keys for sample in given])
    order = np.argsort(keys, kind="stable")[:most]
    labels = given[0].labels
    if labels is not None:
        labels = np.unique(np.concatenate([sample.labels for sample in given]))
    y = None
    if given[0].y is not None:
        y = np.concatenate([sample.y for sample in given])[order]
    X = picked_rows(joined_rows([sample.X for sample in given]), order)
    return Sample(X, y, keys[order], sum(sample.n_rows for sample in given), labels)


def picked_rows(X: Any, rows: np.ndarray) -> Any:
    """These rows, by their numbers."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
