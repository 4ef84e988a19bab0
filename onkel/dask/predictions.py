"""Predictions of a model for rows that dask holds, block by block, when they are asked for."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from dask.base import is_dask_collection
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
from onkel.stream.opening import format_of
from onkel.tables.rows import count_rows


def lazily(model: Any, method: str, X: Any, like: np.ndarray, reading: dict[str, Any]) -> Any:
    """What a method of the model, as it is now, says of rows; ``like`` is an empty array of what it returns."""
    if not (is_dask_collection(X) or is_files(X) or are_chunks(X)):
        return getattr(model, method)(X)
    shared = delayed(copy.deepcopy(model), pure=False, traverse=False)
    if is_array(X):
        return of_array(shared, method, X, like)
    if is_frame(X):
        return of_frame(shared, method, X, like)
    if is_files(X):
        files = [File(str(path), for_prediction(str(path), reading, model)) for path in X]
        return [made(asked_of_file, shared, method, file, like) for file in files]
    return [made(asked_of_chunk, shared, method, chunk, like) for chunk in X]


def for_prediction(path: str, reading: dict[str, Any], model: Any) -> dict[str, Any]:
    """How to read a file whose labels may be missing, and of svmlight the last columns."""
    target = reading.get("target")
    if (reading.get("format") or format_of(path, target)) == "svmlight":
        return {"n_features": model.n_features_in_, **reading}
    return {**reading, "labels": "none" if target is None else "optional"}


def asked_of_file(model: Any, method: str, file: File, like: np.ndarray) -> np.ndarray:
    """Answers for all rows of a file."""
    parts = [ask(part.X, model, method, like) for part in chunks_of(file, file.path)]
    return np.concatenate(parts) if parts else like


def asked_of_chunk(model: Any, method: str, given: Any, like: np.ndarray) -> np.ndarray:
    return ask(chunk_of(given).X, model, method, like)


def ask(X: Any, model: Any, method: str, like: np.ndarray) -> np.ndarray:
    """Answers for rows in memory, which may be none."""
    return np.asarray(getattr(model, method)(X)) if count_rows(X) else like


def of_array(shared: Any, method: str, X: Any, like: np.ndarray) -> Any:
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    form: dict[str, Any] = {"drop_axis": 1}
    if like.ndim == 2:
        form = {"chunks": (X.chunks[0], (like.shape[1],))}
    return X.map_blocks(ask, shared, method, like, dtype=like.dtype, meta=like, **form)


def of_frame(shared: Any, method: str, X: Any, like: np.ndarray) -> Any:
    import dask.array as da

    parts = [made(ask, part, shared, method, like) for part in X.to_delayed()]
    shape = (np.nan, *like.shape[1:])
    blocks = [da.from_delayed(part, shape, dtype=like.dtype, meta=like) for part in parts]
    return da.concatenate(blocks)
