"""A look at all partitions: how many rows there are, which labels, and a sample that settings are chosen from.

Every row gets a random number, by (seed, partition, row); the sample is the rows with the smallest ones. So it is
uniform, the sample of two parts comes from their samples, and a task that runs again finds the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from onkel.dask.checks import check_alike, check_finite, check_lengths, check_targets, labels_of
from onkel.dask.partitions import Chunk, chunks_of
from onkel.tables.rows import count_rows, joined_rows


class Sample(NamedTuple):
    """Some rows of many."""

    X: Any
    y: Any
    keys: np.ndarray  # the random numbers, in order
    n_rows: int  # of all
    labels: np.ndarray | None  # of all, in order; None of numbers
    weight: float | None  # of all together; None where rows have no weights
    name: str  # a partition that they are of
    columns: Any  # their names, where they have some
    width: int | None  # how many features, where these are to be numbers


class Wanted(NamedTuple):
    """What a look at a partition is for."""

    most: int  # rows of the sample
    seed: int
    kind: str  # of the learner, in scikit-learn's words
    finite: bool  # whether rows must be numbers
    classes: Any = None  # labels that are declared


def look(source: Any, name: str, place: int, wanted: Wanted) -> Sample | None:
    """The sample of one partition; None of one without rows."""
    random, found = np.random.default_rng((wanted.seed, place)), None
    for chunk in chunks_of(source, name):
        check_lengths(chunk, name)
        rows = count_rows(chunk.X)
        if not rows:
            continue
        part = sample_of(chunk, name, random.random(rows), wanted)
        found = smallest([found, part], wanted.most)
    return found


def sample_of(chunk: Chunk, name: str, keys: np.ndarray, wanted: Wanted) -> Sample:
    """All rows of a chunk, of which it is known now that they can be learned."""
    labels, columns, width = None, None, None
    if wanted.finite:
        check_finite(chunk.X, name)
        columns, width = chunk.columns, int(chunk.X.shape[1])
        if hasattr(chunk.X, "columns"):
            columns = list(chunk.X.columns)
    if wanted.kind == "classifier":
        labels = labels_of(chunk, name, wanted.classes)
    elif wanted.kind == "regressor":
        check_targets(chunk, name)
    y = None if chunk.y is None else np.asarray(chunk.y)
    weight = None if chunk.weights is None else float(np.sum(np.asarray(chunk.weights, float)))
    return Sample(chunk.X, y, keys, len(keys), labels, weight, name, columns, width)


def smallest(samples: Sequence[Sample | None], most: int) -> Sample | None:
    """The sample of all rows of which these are samples."""
    given = [sample for sample in samples if sample is not None]
    if not given:
        return None
    check_alike(given)
    keys = np.concatenate([sample.keys for sample in given])
    order = np.argsort(keys, kind="stable")[:most]
    labels = given[0].labels
    if labels is not None:
        labels = np.unique(np.concatenate([sample.labels for sample in given]))
    y = None
    if given[0].y is not None:
        y = np.concatenate([sample.y for sample in given])[order]
    X = picked_rows(joined_rows([sample.X for sample in given]), order)
    weights = [sample.weight for sample in given if sample.weight is not None]
    return given[0]._replace(
        X=X,
        y=y,
        keys=keys[order],
        n_rows=sum(sample.n_rows for sample in given),
        labels=labels,
        weight=sum(weights) if weights else None,
    )


def picked_rows(X: Any, rows: np.ndarray) -> Any:
    """These rows, by their numbers."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
