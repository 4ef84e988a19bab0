"""Whole data sets as arrays: `load`, and the cache of what was parsed.

Parsing a large file takes seconds, so its arrays are kept in the user's cache.
"""

import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from onkel.atomic import replaced
from onkel.datasets.fetching import check_split, generated, located
from onkel.datasets.folders import Part, download_folder
from onkel.datasets.generators.gaussian import gaussian_mixture
from onkel.stream import read_svmlight

Parsed = tuple[sparse.csr_matrix, NDArray[Any]]
_GENERATED_ROWS = 1_000_000


def load(name: str, split: str = "train") -> Parsed:
    """Load a set of the registry.

    The files are looked for in the folder that the environment variable ONKEL_DATA names, if it is set; then in
    the user's cache; then they are downloaded into the cache, if they are to be had in svmlight form. `names()`
    lists the sets that are known, `info(name)` describes one.

    Parameters
    ----------
    name : str
        The set's name.
    split : {"train", "test", "all"}, default="train"
        The part; "all" gives the training rows, then the test rows. A set that comes in one file has no
        test part: "train" and "all" both give the whole of it.

    Returns
    -------
    X : CSR matrix of shape (n, d)
        The rows, as float64.
    y : ndarray of shape (n,)
        Their labels as int64, or targets as float64.
    """
    if generated(name):
        check_split(name, split, has_test=False)
        X, y = gaussian_mixture(_GENERATED_ROWS, random_state=0)
        return sparse.csr_matrix(X), y
    pieces = [_read(path, part) for path, part in located(name, split)]
    if len(pieces) == 1:
        return pieces[0]
    X = sparse.vstack([piece[0] for piece in pieces], format="csr")
    return X, np.concatenate([piece[1] for piece in pieces])


def _read(source: Path, part: Part) -> Parsed:
    cached = _cache_path(source, part.features)
    parsed = _from_cache(cached, part.features)
    if parsed is None:
        parsed = read_svmlight(source, part.features)
        _to_cache(cached, *parsed)
    X, y = parsed
    if part.task == "regression":
        return X, y
    classes = y.astype(np.int64)
    if (wrong := np.flatnonzero(classes != y)).size:
        raise ValueError(
            f"{source}: the label {y[wrong[0]]:g} in row {wrong[0] + 1} is not a whole number, as a "
            f"class must be; for regression its entry needs the task 'regression'"
        )
    return X, classes


def _cache_path(source: Path, features: int) -> Path:
    stat = source.stat()
    return download_folder() / f"{source.name}-{features}-{stat.st_size}-{stat.st_mtime_ns}.npz"


def _from_cache(path: Path, features: int) -> Parsed | None:
    try:
        with np.load(path) as saved:
            parts = saved["data"], saved["indices"], saved["indptr"]
            y = saved["y"]
            return sparse.csr_matrix(parts, shape=(len(y), features)), y
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None  # absent or damaged: the source is parsed again


def _to_cache(path: Path, X: sparse.csr_matrix, y: NDArray[Any]) -> None:
    with suppress(OSError):  # no room or no right to write: the cache is a convenience
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced(path) as file:
            np.savez(file, data=X.data, indices=X.indices, indptr=X.indptr, y=y)
