"""What is given to ``fit`` as a list of partitions: chunks that dask makes, or files that workers read."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from dask.base import is_dask_collection
from dask.delayed import Delayed, delayed
from scipy import sparse

from onkel.stream import open_stream
from onkel.tables.table import Table


class PartitionError(ValueError):
    """A partition that could not be read or learned; the message names it."""


class Chunk(NamedTuple):
    """Rows, as a worker has them in memory."""

    X: Any
    y: Any
    weights: Any = None
    columns: Any = None  # their names, where a file has them


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
    if isinstance(X, (str, Path)):
        raise TypeError(f"X={str(X)!r} must be a list of files, also where there is but one.")
    if settings and not is_files(X):
        raise TypeError(
            f"{', '.join(settings)}: how to read is said of files only, and X is {kind_of(X)}."
        )
    if is_array(X):
        return blocks(X, y, weights)
    if is_frame(X):
        return frames(X, y, weights)
    if (is_files(X) or are_chunks(X)) and not (y is None and weights is None):
        raise TypeError(
            "y and sample_weight go with a dask array or dataframe: delayed chunks bring their own, (X, y, "
            "sample_weight), and of files the column of y is named by target=...; files have no weights."
        )
    if is_files(X):
        return [Partition(str(path), File(str(path), settings)) for path in X]
    if are_chunks(X):
        return [Partition(f"chunk {i} of X", as_chunk(each)) for i, each in enumerate(X)]
    raise TypeError(
        f"X must be a dask array, a dask dataframe, a list of delayed chunks (dask.delayed(...) of (X, y) each) or a "
        f"list of files, got {kind_of(X)}. Rows in memory are learned by the learner itself."
    )


def kind_of(X: Any) -> str:
    """In a word or two, what somebody has given."""
    name = type(X).__name__
    if not isinstance(X, (list, tuple)):
        return name
    return f"a {name} of {type(X[0]).__name__}" if X else f"an empty {name}"


def is_array(X: Any) -> bool:
    """Whether it is an array of dask; asked so, who has none need not import them."""
    return is_dask_collection(X) and hasattr(X, "numblocks")


def is_frame(X: Any) -> bool:
    """Whether it is a dataframe of dask."""
    return is_frame_or_series(X) and hasattr(X, "columns")


def is_frame_or_series(X: Any) -> bool:
    return is_dask_collection(X) and hasattr(X, "to_dask_array")


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
        if is_frame_or_series(column):
            raise TypeError(
                f"{name} must be a dask array, as X is one: give {name}.to_dask_array(lengths=True)."
            )
        if not is_array(column) or column.ndim != 1:
            raise TypeError(
                f"{name} must be a dask array of one dimension, as X is a dask array, got {kind_of(column)}."
            )
        if known(column) and known(X) and column.shape[0] != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows, and {name} has {column.shape[0]}.")
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
    """Partitions of a dask dataframe; ``y`` and ``weights`` are columns of it, by name, or series of their own."""
    parts, names, columns = X.to_delayed(), [], []
    for name, given in (("y", y), ("sample_weight", weights)):
        named = isinstance(given, Hashable) and not is_dask_collection(given) and given is not None
        if named and given not in X.columns:
            raise ValueError(
                f"{name}={given!r} is no column of X: there are {', '.join(map(str, X.columns))}"
            )
        if not (given is None or named or is_frame_or_series(given)):
            raise TypeError(
                f"{name} must be a dask series, as X is a dask dataframe, or the name of a column of X, got "
                f"{kind_of(given)}."
            )
        names.append(given if named else None)
        own = [None] * len(parts) if given is None or named else given.to_delayed()
        if len(own) != len(parts):
            raise ValueError(
                f"X has {len(parts)} partitions, and {name} has {len(own)}: they must be the same rows."
            )
        columns.append(own)
    chunks = [made(split, part, names, *own) for part, *own in zip(parts, *columns)]
    return [Partition(f"number {i} of X", chunk) for i, chunk in enumerate(chunks)]


def split(frame: Any, names: Sequence[Any], *columns: Any) -> Chunk:
    """A frame, the labels and the weights: columns of the frame where they have names."""
    y, weights = (
        own if name is None else frame[name] for name, own in zip(names, columns, strict=True)
    )
    inside = [name for name in names if name is not None]
    return Chunk(frame.drop(columns=inside) if inside else frame, y, weights)


def as_chunk(given: Any) -> Any:
    """What the user delayed, (X, y), (X, y, weights) or X alone, as a chunk."""
    return made(chunk_of, given)


def chunk_of(given: Any) -> Chunk:
    X, *rest = given if isinstance(given, (tuple, list)) else (given,)
    if len(rest) > 2 or X is None:
        raise TypeError(
            f"a delayed chunk must become (X, y), (X, y, sample_weight) or X alone, got {kind_of(given)}."
        )
    return Chunk(as_rows(X), *rest) if rest else Chunk(as_rows(X), None)


def as_rows(X: Any) -> Any:
    """Rows that can be picked by their numbers."""
    if sparse.issparse(X):
        return X.tocsr()
    if isinstance(X, Mapping):
        return Table.of(X)
    return X if hasattr(X, "shape") or isinstance(X, Table) else np.asarray(X)


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
        stream = open_stream(source.path, **source.settings)
        for X, y in stream:
            yield Chunk(X, y, None, stream.feature_names)
    except (OSError, ValueError, TypeError) as reason:
        raise PartitionError(
            f"partition {name} could not be read: {type(reason).__name__}: {reason}"
        ) from None
