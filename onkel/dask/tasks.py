"""What workers do: settle, learn and merge. Every task leaves what it is given as it is, so that it may run again."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np

from onkel.dask.partitions import PartitionError, chunks_of
from onkel.dask.sample import Sample, picked_rows
from onkel.tables.rows import count_rows


class Pass(NamedTuple):
    """How a partition is gone through."""

    place: int  # its number
    turn: int  # the number of the round
    seed: int
    shuffles: bool


def seen(sample: Sample | None) -> int:
    """How many rows a partition has: little enough for the client to keep."""
    return 0 if sample is None else sample.n_rows


def settle(learner: Any, sample: Sample | None, classes: Any) -> Any:
    """The model that all shards start from."""
    if sample is None:
        raise ValueError("X has no rows: at least one is needed to learn from.")
    if sample.weight is not None and sample.weight == 0.0:
        raise ValueError("sample_weight is 0 for all rows: there is nothing to learn.")
    if classes is None:
        classes = sample.labels
    more = {} if classes is None else {"classes": classes}
    model = copy.deepcopy(learner)
    return model.settle(sample.X, sample.y, n_rows=sample.n_rows, **more)


def learn(model: Any, source: Any, name: str, how: Pass) -> Any:
    """A copy of the model that has learned a partition, too."""
    model = copy.deepcopy(model)
    random = np.random.default_rng((how.seed, how.turn, how.place))
    for X, y, weights, _ in chunks_of(source, name):
        rows = count_rows(X)
        if not rows:
            continue
        order = random.permutation(rows) if how.shuffles else np.arange(rows)
        more = {} if weights is None else {"sample_weight": np.asarray(weights)[order]}
        targets = None if y is None else np.asarray(y)[order]
        try:
            model.partial_fit(picked_rows(X, order), targets, **more)
        except (ValueError, TypeError) as reason:
            raise PartitionError(f"partition {name} could not be learned: {reason}") from None
    return model


def merge(models: list[Any], common: Any) -> Any:
    """One model of several."""
    first = copy.deepcopy(models[0])
    return first.merge(*models[1:], common=common)


def mark(model: Any) -> int:
    """That it is there, and how many rows it has learned: little enough for the client to keep."""
    return int(model.progress_.seen)
