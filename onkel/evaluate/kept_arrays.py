"""Arrays that people bring along: kept by their digest, and handed to worker processes as files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

#: Where a worker process finds the arrays of its jobs.
FOLDER_VARIABLE = "ONKEL_EVALUATE_ARRAYS"

_kept: dict[str, tuple[Any, Any]] = {}


def as_rows(X: Any, y: Any) -> tuple[Any, Any]:
    """Whatever can be rows and targets, as arrays or CSR."""
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    y = np.asarray(y)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and features, got shape {X.shape}")
    if X.shape[0] != len(y):
        raise ValueError(f"X has {X.shape[0]} rows, but y has {len(y)} targets")
    return X, y


def array_digest(X: Any, y: Any) -> str:
    """A digest of the values, so that other values are other data."""
    parts = [X.data, X.indices, X.indptr] if sparse.issparse(X) else [X]
    digest = hashlib.sha256(repr(X.shape).encode())
    for part in [*parts, y]:
        digest.update(part.dtype.str.encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:12]


def keep_arrays(digest: str, X: Any, y: Any) -> None:
    """Copies, once: were the caller's arrays changed in place, the digest would be of others."""
    if digest not in _kept:
        _kept[digest] = (X.copy(), y.copy())


def fetch_arrays(digest: str) -> tuple[Any, Any]:
    """The arrays of a digest, from this process or from the folder of a worker."""
    if digest in _kept:
        return _kept[digest]
    folder = os.environ.get(FOLDER_VARIABLE)
    path = Path(folder, f"{digest}.npz") if folder else None
    if path is None or not path.is_file():
        raise ValueError(
            f"the arrays with digest {digest} aren't here: make them with Data.of(X, y)"
        )
    with np.load(path, allow_pickle=False) as saved:
        y = saved["y"]
        if "X" in saved:
            return saved["X"], y
        parts = saved["data"], saved["indices"], saved["indptr"]
        return sparse.csr_matrix(parts, shape=tuple(saved["shape"])), y


def write_arrays(folder: Path, digests: Iterable[str]) -> None:
    """Write the arrays for the workers to find."""
    for digest in digests:
        X, y = fetch_arrays(digest)
        if sparse.issparse(X):
            parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
        else:
            parts = {"X": X}
        np.savez(folder / f"{digest}.npz", y=y, **parts)
