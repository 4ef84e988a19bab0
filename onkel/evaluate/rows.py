"""Rows as a job learns them: loaded once a process, divided, scaled, in the order of a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from onkel.evaluate.kept_arrays import fetch_arrays
from onkel.evaluate.scaling import learned_scaler, target_scaling
from onkel.tables.scaler import Scaler

if TYPE_CHECKING:
    from onkel.evaluate.data import Data

#: Rows emptier than this are learned faster as CSR.
SPARSE_BELOW = 0.2
WIDE, WIDE_SPARSE_BELOW = 1000, 0.5
DENSE_BYTES = 4 * 2**30


class Rows(NamedTuple):
    """Rows as they are learned, in order; in the batch protocol also test rows.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The rows to learn.
    y : array of shape (n,)
        Their labels or targets.
    X_test : array or sparse matrix of shape (m, d), or None
        The test rows; None in the online protocol.
    y_test : array of shape (m,), or None
        Their labels or targets.
    classes : array or None
        All labels of the set; None where targets are real numbers.
    """

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    classes: Any


class _Loaded(NamedTuple):
    X: Any
    y: Any


class _Scaling(NamedTuple):
    """How rows and targets are scaled and laid out, as learned from some of them."""

    rows: Callable[[Any], Any]
    targets: Callable[[Any], Any]


@lru_cache(maxsize=1)  # the jobs of many learners on the same order of rows follow each other
def load_rows(data: Data, protocol: str, seed: int) -> Rows:
    """The rows of `data` in the order of the seed, as arrays or CSR."""
    rng = np.random.default_rng(seed)
    batch = protocol == "batch"
    learned = _load(data, data.split)
    tested, held = learned, np.arange(0)
    order = rng.permutation(len(learned.y))
    own_test = batch and data.test == "own" and data.validate is None
    divided = batch or data.validate is not None
    if own_test:
        tested = _load(data, "test")
        held = rng.permutation(len(tested.y))
    elif divided and data.test != "own":
        order, held = _divided(order, float(data.test))
    order = order[: data.rows]
    if data.validate is not None and data.validate != "online":
        order, held = _validation(order, data.validate)
    labels = None if learned.y.dtype.kind == "f" else np.unique(learned.y)
    if own_test or not divided:
        X, y, how = _from_whole(data, order)
    else:
        X, y = learned.X[order], learned.y[order]
        how = _learn(data, X, y, learned.X)
        X, y = how.rows(X), how.targets(y)
    if not batch:
        return Rows(X, y, None, None, labels)
    held = held[: data.test_rows]
    return Rows(X, y, how.rows(tested.X[held]), how.targets(tested.y[held]), labels)


# -- loading -----------------------------------------------------------------------------------


def _load(data: Data, split: str) -> _Loaded:
    return _loaded(data.name, data.content, split, data.drop, data.binary)


@lru_cache(maxsize=2)
def _loaded(name: str, content: str, split: str, drop: Any, binary: Any) -> _Loaded:
    if content:
        X, y = fetch_arrays(content)
    else:
        from onkel import datasets

        X, y = datasets.load(name, split)
    if drop:
        if max(drop) > X.shape[1]:
            raise ValueError(f"drop={drop}: {name!r} has only {X.shape[1]} features")
        X = X[:, np.setdiff1d(np.arange(X.shape[1]), np.array(drop) - 1)]
    if binary is not None:
        positive = np.isin(y, binary)
        if positive.all() or not positive.any():
            raise ValueError(
                f"binary={binary} leaves one class: the labels of {name!r} are "
                f"{np.unique(y)[:50].tolist()}"
            )
        y = np.where(positive, 1, -1)
    return _Loaded(X, y)


# -- dividing ----------------------------------------------------------------------------------


def _divided(order: Any, share: float) -> tuple[Any, Any]:
    """Rows to learn, and the first so many of the order to test with."""
    if len(order) < 2:
        raise ValueError(f"{len(order)} rows can't be divided into rows to learn and to test with")
    held = min(max(1, round(share * len(order))), len(order) - 1)
    return order[held:], order[:held]


def _validation(order: Any, validate: Any) -> tuple[Any, Any]:
    if not isinstance(validate, tuple):
        return _divided(order, validate)
    fold, folds = validate
    if len(order) < folds:
        raise ValueError(f"{len(order)} rows can't be divided into {folds} folds")
    pieces = np.array_split(order, folds)
    rest = np.concatenate([piece for i, piece in enumerate(pieces) if i != fold])
    return rest, pieces[fold]


# -- scaling and layout ------------------------------------------------------------------------


def _from_whole(data: Data, order: Any) -> tuple[Any, Any, _Scaling]:
    """Rows of a part, scaled as the whole part is."""
    whole = replace(data, rows=None, test_rows=None)
    how = _learned_from_whole(whole)
    if data.rows is None:
        X, y = _laid_out(whole)
        return X[order], y[order], how
    part = _load(data, data.split)
    return how.rows(part.X[order]), how.targets(part.y[order]), how


@lru_cache(maxsize=1)
def _learned_from_whole(data: Data) -> _Scaling:
    part = _load(data, data.split)
    return _learn(data, part.X, part.y, part.X)


@lru_cache(maxsize=1)
def _laid_out(data: Data) -> _Loaded:
    how, part = _learned_from_whole(data), _load(data, data.split)
    return _Loaded(how.rows(part.X), how.targets(part.y))


def _learn(data: Data, X: Any, y: Any, whole: Any) -> _Scaling:
    scaler = learned_scaler(X, data.features)
    keep_sparse = _keeps_sparse(data, whole, scaler)
    if scaler is not None:
        scaler.shift = not keep_sparse
    scaled = (lambda rows: rows) if scaler is None else scaler.transform

    def lay_out(rows: Any) -> Any:
        if keep_sparse:
            return sparse.csr_matrix(scaled(sparse.csr_matrix(rows)), dtype=data.dtype)
        if 8 * rows.shape[0] * rows.shape[1] > DENSE_BYTES:
            raise ValueError(
                f"{data.name!r}: {rows.shape[0]} x {rows.shape[1]} values don't fit as an array "
                f"(features={data.features!r} shifts zeros). Use fewer rows, or dense=False, "
                "which divides only"
            )
        dense = rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
        return np.ascontiguousarray(scaled(dense), dtype=data.dtype)

    return _Scaling(lay_out, target_scaling(y, data.target))


def _keeps_sparse(data: Data, X: Any, scaler: Scaler | None) -> bool:
    if data.dense is not None:
        return not data.dense
    if not sparse.issparse(X) or (scaler is not None and scaler.moves_zeros):
        return False
    density = X.nnz / max(1, X.shape[0] * X.shape[1])
    return density < (WIDE_SPARSE_BELOW if X.shape[1] > WIDE else SPARSE_BELOW)
