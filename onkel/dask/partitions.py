"""What is given to ``fit`` as a list of partitions: chunks that dask makes, or files that workers read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from dask.base import is_dask_collection
from dask.delayed import Delayed, delayed

from onkel.stream import open_stream


class PartitionError(ValueError):
    """A partition that could not be read or learned; the message names it."""


class Chunk(NamedTuple):
    """Rows, as a worker has them in memory."""

    X: Any
    y: Any
    weights: Any = None


class File(NamedTuple):
    """A file that the worker opens itself, and how."""

    path: str
    settings: dict[str, Any]


class Partition(NamedTuple):
    """A part of the rows: a file, or something delayed that becomes a chunk."""

    name: str
    source: Any


def partitions_of(X: Any, y: Any, weights: Any, settings: dict[str, Any]) -> list[Partition]:
    """The partitions of whatever ``fit`` takes, or an error that says what that is."""
    if settings and not is_files(X):
        raise TypeError(
            f"{', '.join(settings)}: how to read is said of files only, and X is {type(X).__name__}."
        )
    if is_array(X):
        return blocks(X, y, weights)
    if is_frame(X):
        return frames(X, y, weights)
    if (is_files(X) or are_chunks(X)) and not (y is None and weights is None):
        raise TypeError(
            "y and sample_weight go with a dask array or dataframe: files and delayed chunks bring their own."
        )
    if is_files(X):
        return [Partition(str(path), File(str(path), settings)) for path in X]
    if are_chunks(X):
        return [Partition(f"chunk {i} of X", as_chunk(each)) for i, each in enumerate(X)]
    raise TypeError(
        f"X must be a dask array, a dask dataframe, a list of delayed chunks (X, y) or a list of files, got "
        f"{type(X).__name__}: rows in memory are learned by the learner itself."
    )


def is_array(X: Any) -> bool:
    """Whether it is an array of dask; asked so, who has none need not import them."""
    return is_dask_collection(X) and hasattr(X, "numblocks")


def is_frame(X: Any) -> bool:
    """Whether it is a dataframe of dask."""
    return hasattr(X, "to_delayed") and hasattr(X, "columns")


def is_files(X: Any) -> bool:
    return (
        isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(x, (str, Path)) for x in X)
    )


def are_chunks(X: Any) -> bool:
    """Whether it is a list of chunks that are delayed."""
    return isinstance(X, Sequence) and len(X) > 0 and all(isinstance(x, Delayed) for x in X)


def blocks(X: Any, y: Any, weights: Any) -> list[Partition]:
    """Blocks of rows of a dask array."""
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and features, got shape {X.shape}")
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    parts = [X.to_delayed()[:, 0].tolist()]
    for name, column in (("y", y), ("sample_weight", weights)):
        if column is None:
            parts.append([None] * X.numblocks[0])
            continue
        if not is_array(column) or column.ndim != 1:
            raise TypeError(f"{name} must be a dask array of one dimension, as X is a dask array")
        if column.chunks[0] != X.chunks[0]:
            if len(column.chunks[0]) != len(X.chunks[0]) or (known(column) and known(X)):
                column = column.rechunk((X.chunks[0],))
        parts.append(column.to_delayed().tolist())
    return [
        Partition(f"block {i} of X", made(Chunk, *chunk)) for i, chunk in enumerate(zip(*parts))
    ]


def known(array: Any) -> bool:
    """Whether a dask array knows how many rows its blocks have."""
    return all(size == size for size in array.chunks[0])


def frames(X: Any, y: Any, weights: Any) -> list[Partition]:
    """Partitions of a dask dataframe; ``y`` is a column of it, by its name, or a series of its own."""
    parts, named = X.to_delayed(), isinstance(y, str)
    if named and y not in X.columns:
        raise ValueError(f"y={y!r} is no column of X: there are {', '.join(map(str, X.columns))}")
    labels, own_weights = (
        [None] * len(parts) if column is None else column.to_delayed()
        for column in (None if named else y, weights)
    )
    if not len(parts) == len(labels) == len(own_weights):
        raise ValueError("X, y and sample_weight must have the same partitions")
    if named:
        chunks = [made(split, part, y, own) for part, own in zip(parts, own_weights)]
    else:
        chunks = [made(Chunk, *chunk) for chunk in zip(parts, labels, own_weights)]
    return [Partition(f"partition {i} of X", chunk) for i, chunk in enumerate(chunks)]


def split(frame: Any, target: str, weights: Any) -> Chunk:
    return Chunk(frame.drop(columns=[target]), frame[target], weights)


def as_chunk(given: Any) -> Any:
    """What the user delayed, (X, y), (X, y, weights) or X alone, as a chunk."""
    return made(chunk_of, given)


def chunk_of(given: Any) -> Chunk:
    return Chunk(*given) if isinstance(given, (tuple, list)) else Chunk(given, None)


def made(function: Any, *arguments: Any) -> Any:
    """A call that is delayed, under a name that the dashboard shows."""
    name = f"onkel-{function.__name__.lower()}-{uuid4().hex}"
    return delayed(function, pure=False)(*arguments, dask_key_name=name)


def chunks_of(source: Any, name: str) -> Iterator[Chunk]:
    """The rows of a partition, in chunks; an error names the partition."""
    if not isinstance(source, File):
        yield source
        return
    try:
        for X, y in open_stream(source.path, **source.settings):
            yield Chunk(X, y)
    except (OSError, ValueError, TypeError) as reason:
        raise PartitionError(
            f"partition {name} could not be read: {type(reason).__name__}: {reason}"
        ) from None
