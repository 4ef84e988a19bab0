"""Predictions of a model for rows that dask holds, block by block, when they are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from dask.delayed import delayed

from onkel.dask.partitions import (
    File,
    are_chunks,
    chunk_of,
    chunks_of,
    is_array,
    is_files,
    is_frame,
    made,
)


def lazily(model: Any, method: str, X: Any, like: np.ndarray) -> Any:
    """What a method of the model says of rows; ``like`` is an empty array of what it returns."""
    if is_array(X):
        return of_array(model, method, X, like)
    if is_frame(X):
        return of_frame(model, method, X, like)
    if is_files(X) or are_chunks(X):
        shared = delayed(model, pure=False, traverse=False)
        return [made(asked, shared, method, source_of(each)) for each in X]
    return getattr(model, method)(X)


def source_of(given: Any) -> Any:
    return File(str(given), {}) if isinstance(given, (str, Path)) else given


def asked(model: Any, method: str, source: Any) -> np.ndarray:
    """Answers for a chunk, or for all rows of a file."""
    parts = chunks_of(source, source.path) if isinstance(source, File) else [chunk_of(source)]
    return np.concatenate([ask(part.X, model, method) for part in parts])


def ask(X: Any, model: Any, method: str) -> np.ndarray:
    return np.asarray(getattr(model, method)(X))


def of_array(model: Any, method: str, X: Any, like: np.ndarray) -> Any:
    shared = delayed(model, pure=False, traverse=False)
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    form: dict[str, Any] = {"drop_axis": 1}
    if like.ndim == 2:
        form = {"chunks": (X.chunks[0], (like.shape[1],))}
    return X.map_blocks(ask, shared, method, dtype=like.dtype, meta=like, **form)


def of_frame(model: Any, method: str, X: Any, like: np.ndarray) -> Any:
    import dask.array as da

    shared = delayed(model, pure=False, traverse=False)
    parts = [made(ask, part, shared, method) for part in X.to_delayed()]
    shape = (np.nan, *like.shape[1:])
    blocks = [da.from_delayed(part, shape, dtype=like.dtype, meta=like) for part in parts]
    return da.concatenate(blocks)
