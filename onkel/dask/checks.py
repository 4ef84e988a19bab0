"""What must hold of each partition, and of all of them together; an error names the partition and the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from onkel.dask.partitions import Chunk, PartitionError
from onkel.tables.rows import count_rows

WORDS = "OSU"  # kinds of arrays that may hold words


def check_lengths(chunk: Chunk, name: str) -> None:
    """There is a label, and a weight, for every row."""
    rows = count_rows(chunk.X)
    for what, column in (("y", chunk.y), ("sample_weight", chunk.weights)):
        if column is not None and count_rows(column) != rows:
            raise PartitionError(
                f"partition {name} has {rows} rows in X, but {count_rows(column)} in {what}: each row needs its own. "
                f"If you picked rows of X, pick the same of {what}."
            )


def check_finite(X: Any, name: str) -> None:
    """Refuse words, gaps and infinities: told here, they are told with their partition."""
    values = X.data if sparse.issparse(X) else np.asarray(X)
    if values.dtype.kind in WORDS:
        try:
            values = values.astype(float)
        except (TypeError, ValueError) as reason:
            raise PartitionError(
                f"partition {name} has cells that are no numbers ({reason}): for tables with words, gaps and dates "
                f"let learner be onkel.make_stream_pipeline(onkel.TableEncoder(), ...)."
            ) from None
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise PartitionError(
            f"partition {name} could not be learned: its rows contain NaN or infinity."
        )


def labels_of(chunk: Chunk, name: str, declared: Any) -> np.ndarray:
    """The labels of a chunk, in order; all of them must be among those that are declared, if any are."""
    if chunk.y is None:
        raise PartitionError(f"partition {name} has no labels: a classifier needs y.")
    values = np.asarray(chunk.y)
    if is_missing(values):
        raise PartitionError(f"partition {name} has rows whose label is missing: leave them out.")
    try:
        labels = np.unique(values)
    except TypeError as reason:
        raise PartitionError(f"partition {name} has labels of several kinds: {reason}") from None
    if declared is not None:
        known = np.asarray(declared)
        others = [label for label in labels.tolist() if label not in known.tolist()]
        if others:
            raise PartitionError(
                f"partition {name} has the labels {others[:5]}, and classes={known.tolist()} has not: declare all "
                f"labels, or none."
            )
    return labels


def check_targets(chunk: Chunk, name: str) -> None:
    """The targets of a chunk are numbers."""
    if chunk.y is None:
        raise PartitionError(f"partition {name} has no targets: a regressor needs y.")
    try:
        values = np.asarray(chunk.y).astype(float)
    except (TypeError, ValueError) as reason:
        raise PartitionError(
            f"partition {name} has targets that are no numbers: {reason}"
        ) from None
    if not np.isfinite(values).all():
        raise PartitionError(
            f"partition {name} has targets that are NaN or infinite: leave them out."
        )


def is_missing(values: np.ndarray) -> bool:
    """Whether there are gaps among labels."""
    if values.dtype.kind == "f":
        return bool(np.isnan(values).any())
    return values.dtype.kind == "O" and any(map(is_gap, values.ravel().tolist()))


def is_gap(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas' NA is neither like itself nor unlike
        return True


def check_alike(samples: Sequence[Any]) -> None:
    """Samples of different partitions have the same columns, and labels of one kind."""
    first = samples[0]
    for other in samples[1:]:
        both = f"partition {first.name} and partition {other.name}"
        if first.columns != other.columns:
            raise PartitionError(
                f"{both} have different columns, {listed(first.columns)} and {listed(other.columns)}: bring them "
                f"into one order; of files, name those to take, columns=[...]."
            )
        if first.width != other.width:
            raise PartitionError(
                f"{both} have {first.width} and {other.width} features: all need the same. Of svmlight files say how "
                f"many there are, n_features={max(first.width, other.width)}."
            )
        if first.labels is None or other.labels is None:
            continue
        if (first.labels.dtype.kind in WORDS) != (other.labels.dtype.kind in WORDS):
            raise PartitionError(
                f"{both} have labels of different kinds, {first.labels[:3].tolist()} and {other.labels[:3].tolist()}"
                f": make all of them words or all of them numbers; of files, by labels='text'."
            )


def listed(columns: Any) -> str:
    return "none by name" if columns is None else ", ".join(map(str, columns))
