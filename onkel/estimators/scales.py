"""A warning where features are of so different scales that a kernel sees only some of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

#: Scales that differ by more than this factor are worth a warning.
TOO_MUCH = 100.0
#: The scales are those of so many rows, evenly spread, and of so many entries where there are many features.
MOST_ROWS, FEWEST_ROWS, MOST_ENTRIES = 1000, 32, 1 << 22
#: A distance from the median of this relative size is rounding.
ROUNDING = 1e-14
_TAKEN_CARE_OF: ContextVar[bool] = ContextVar("scales_taken_care_of", default=False)


class ScaleWarning(UserWarning):
    """Features differ in scale by more than a factor of 100, so that the smaller ones hardly count."""


class Spread(NamedTuple):
    """How far the values of every feature lie apart, by two measures."""

    of_all: np.ndarray  # standard deviation
    of_others: (
        np.ndarray
    )  # root mean square distance from the median, of the values that differ from it


@contextmanager
def taken_care_of() -> Iterator[None]:
    """Learners that start here get features that someone has scaled: the first rows may look otherwise."""
    token = _TAKEN_CARE_OF.set(True)
    try:
        yield
    finally:
        _TAKEN_CARE_OF.reset(token)


def warn_of_scales(learner: Any, X: Any, stacklevel: int) -> None:
    """Warn of features whose scales differ by too much; who brings a function as kernel may scale in it.

    They do if both measures say so. A column of zeros and ones is of scale 1 however rare the ones are, although its
    standard deviation is small; divided by that, its ones are large, but its standard deviation is 1.
    """
    if _TAKEN_CARE_OF.get() or callable(getattr(learner, "kernel", "rbf")):
        return
    rows: Any = some_rows(X)
    columns: Any = range(X.shape[1])
    if sparse.issparse(X):  # of very many features most have no entry, and no spread
        columns = np.unique(rows.indices).tolist()
        rows = rows[:, columns]
    spread = spread_of(rows)
    varying = spread.of_others > 0
    if np.count_nonzero(varying) < 2:
        return
    largest = int(np.argmax(np.where(varying, spread.of_all, -np.inf)))
    smallest = int(np.argmin(np.where(varying, spread.of_others, np.inf)))
    high, low = float(spread.of_all[largest]), float(spread.of_others[smallest])
    if high > TOO_MUCH * low:
        names = getattr(learner, "feature_names_in_", range(X.shape[1]))
        large, small = names[columns[largest]], names[columns[smallest]]
        warnings.warn(
            f"Features differ in scale: feature {large!r} varies by about {high:.3g}, feature "
            f"{small!r} by about {low:.3g}. {type(learner).__name__} compares all features with each "
            f"other, so that small ones hardly count. Scale them first: by onkel.TableEncoder or "
            f"sklearn.preprocessing.StandardScaler, or a stream by onkel.stream.scaled.",
            ScaleWarning,
            stacklevel,
        )


def some_rows(X: Any) -> Any:
    """Rows that tell, evenly spread over all."""
    entries = X.shape[1] if not sparse.issparse(X) else max(1, X.nnz // X.shape[0])
    most = min(max(MOST_ENTRIES // entries, FEWEST_ROWS), MOST_ROWS)
    return X[:: -(-X.shape[0] // most)]


def spread_of(X: Any) -> Spread:
    """The spread of every feature, the same for dense rows and for sparse ones."""
    if not sparse.issparse(X):
        return spread_of_dense(np.asarray(X, float))
    n, X = X.shape[0], sparse.csc_matrix(X, dtype=float)
    X.sum_duplicates()
    X.eliminate_zeros()
    counts = np.diff(X.indptr)
    unit = float(np.abs(X.data).max(initial=0.0)) or 1.0
    features = np.repeat(np.arange(X.shape[1]), counts)
    sums, squares = (
        np.bincount(features, (X.data / unit) ** power, X.shape[1]) for power in (1, 2)
    )
    of_all = unit * np.sqrt(np.maximum(squares / n - (sums / n) ** 2, 0.0))
    of_others = unit * np.sqrt(squares / np.maximum(counts, 1))  # the median of the rest is 0
    full = np.flatnonzero(2 * counts >= n)
    of_all[full], of_others[full] = spread_of_dense(X[:, full].toarray())
    return Spread(of_all, of_others)


def spread_of_dense(X: np.ndarray) -> Spread:
    median = np.median(X, axis=0)
    gaps = X - median
    gaps[np.abs(gaps) <= ROUNDING * np.abs(median)] = 0.0
    unit = float(np.abs(gaps).max(initial=0.0)) or 1.0  # of squares none overflows
    gaps /= unit
    others = np.maximum(np.count_nonzero(gaps, axis=0), 1)
    return Spread(unit * gaps.std(axis=0), unit * np.sqrt(np.square(gaps).sum(axis=0) / others))
