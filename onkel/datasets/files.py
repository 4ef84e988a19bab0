"""Benchmark files: svmlight text packed with xz, described by a `datasets.json` beside it.

`datasets.json` lists under "files" one entry a file: `file` (its name), `dataset` (the set it
belongs to), `features` (the width, which a file's last index need not reach) and `task`. A name
like `a9a.train.svm.xz` is the training part of a9a; `.scale` in it makes a set of its own
(`german.scale`).
Parsing a large file takes seconds, so the arrays are kept in a cache folder.
"""

import json
import lzma
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import MinMaxScaler

from onkel.compile import cache_home

Parsed = tuple[sparse.csr_matrix, NDArray[Any]]

_INDEX = "datasets.json"
_SPLITS = ("train", "test", "all")


def load(name: str, split: str = "train") -> Parsed:
    """Load the set `name`: `X` as CSR (float64), `y` integer for classification, else float64.

    `split` is "train", "test" or "all" (the training rows, then the test rows). A set that comes in
    one file has no test part: "train" and "all" both give the whole of it. The files are looked for
    in the folder that the environment variable ONKEL_DATA names or, without it, in `shared/data`
    beside the checkout.
    """
    if split not in _SPLITS:
        raise ValueError(f"split must be one of {_SPLITS}, got {split!r}")
    folder, entries = _parts(name)
    if split == "test" and "test" not in entries:
        raise ValueError(f"{name!r} comes in one file and has no test part; use split='all'")
    if split == "all" or "all" in entries:
        wanted = [entries[part] for part in ("all", "train", "test") if part in entries]
    elif split in entries:
        wanted = [entries[split]]
    else:
        raise ValueError(f"{name!r} has no {split} part, only {sorted(entries)}")
    pieces = [_read(folder, entry) for entry in wanted]
    if len(pieces) == 1:
        return pieces[0]
    X = sparse.vstack([piece[0] for piece in pieces], format="csr")
    return X, np.concatenate([piece[1] for piece in pieces])


def available() -> list[str]:
    """The names that `load` knows here: those whose files are all present."""
    for folder in _folders():
        if (folder / _INDEX).is_file():
            sets = _sets(folder)
            return [
                name
                for name in sorted(sets)
                if all((folder / entry["file"]).is_file() for entry in sets[name].values())
            ]
    return []


def scale_to(X: Any, low: float, high: float) -> NDArray[np.float64]:
    """Scale every column of `X` linearly to [`low`, `high`], densely; constant ones go to `low`.

    >>> scale_to([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], -1, 1)
    array([[-1., -1.],
           [ 0., -1.],
           [ 1., -1.]])
    """
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    scaled = MinMaxScaler((low, high), clip=True).fit_transform(dense.astype(np.float64))
    return np.asarray(scaled)


def _folders() -> list[Path]:
    named = os.environ.get("ONKEL_DATA")
    if named:
        return [Path(named).expanduser()]
    project = Path(__file__).resolve().parents[2]
    return [project.parent / "shared" / "data"]


def _sets(folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """The index of a folder: set → part ("train", "test" or "all") → entry."""
    sets: dict[str, dict[str, dict[str, Any]]] = {}
    for entry in json.loads((folder / _INDEX).read_text(encoding="utf-8"))["files"]:
        words = entry["file"].split(".")
        name = entry["dataset"] + (".scale" if "scale" in words else "")
        part = next((word for word in ("train", "test") if word in words), "all")
        sets.setdefault(name, {})[part] = entry
    return sets


def _parts(name: str) -> tuple[Path, dict[str, dict[str, Any]]]:
    for folder in _folders():
        if (folder / _INDEX).is_file():
            sets = _sets(folder)
            if name not in sets:
                known = ", ".join(sorted(sets))
                raise ValueError(f"no data set {name!r} in {folder}; known: {known}")
            return folder, sets[name]
    raise _missing(_INDEX)


def _missing(file: str) -> FileNotFoundError:
    searched = ", ".join(str(folder) for folder in _folders())
    return FileNotFoundError(
        f"{file} was not found; searched: {searched}. Set the environment variable ONKEL_DATA to "
        f"the folder that holds the data files and {_INDEX}, e.g. export ONKEL_DATA=~/data/onkel"
    )


def _read(folder: Path, entry: dict[str, Any]) -> Parsed:
    source = folder / entry["file"]
    if not source.is_file():
        raise _missing(entry["file"])
    cached = _cache_path(source, entry["features"])
    parsed = _from_cache(cached, entry["features"])
    if parsed is None:
        with lzma.open(source) as file:
            parsed = load_svmlight_file(file, n_features=entry["features"], zero_based=False)
        _to_cache(cached, *parsed)
    X, y = parsed
    return X, y if entry["task"] == "regression" else y.astype(np.int64)


def _cache_path(source: Path, features: int) -> Path:
    stat = source.stat()
    return cache_home() / "data" / f"{source.name}-{features}-{stat.st_size}-{stat.st_mtime_ns}.npz"


def _from_cache(path: Path, features: int) -> Parsed | None:
    try:
        with np.load(path) as saved:
            parts = saved["data"], saved["indices"], saved["indptr"]
            y = saved["y"]
            return sparse.csr_matrix(parts, shape=(len(y), features)), y
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None  # absent or damaged: the source is parsed again


def _to_cache(path: Path, X: sparse.csr_matrix, y: NDArray[Any]) -> None:
    # Written beside its place and then moved there, so that no reader ever sees half a file.
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            temporary = file.name
            np.savez(file, data=X.data, indices=X.indices, indptr=X.indptr, y=y)
        os.replace(temporary, path)
    except OSError:  # no room or no right to write: the cache is a convenience
        if temporary:
            Path(temporary).unlink(missing_ok=True)
