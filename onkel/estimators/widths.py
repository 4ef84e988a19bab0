"""Rows that get wider: whether a learner takes them, and what they are called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

_MAY_GROW: ContextVar[bool] = ContextVar("features_may_grow", default=False)


@contextmanager
def features_may_grow() -> Iterator[None]:
    """Learners that learn here get rows from an encoder, which may widen: they take wider ones from now on."""
    token = _MAY_GROW.set(True)
    try:
        yield
    finally:
        _MAY_GROW.reset(token)


def may_grow() -> bool:
    return _MAY_GROW.get()


def is_wider(X: Any, n_features: int) -> bool:
    """Whether rows, in whatever form they come, have more features than so many."""
    if isinstance(X, (list, tuple)) and X and hasattr(X[0], "__len__"):
        return len(X[0]) > n_features
    shape: Any = getattr(X, "shape", ())
    return len(shape) == 2 and shape[1] > n_features


def check_wider(learner: Any, X: Any) -> None:
    """Refuse wider rows, unless the learner may grow and names of features go on as they were."""
    known, n_features = vars(learner).get("feature_names_in_"), learner.n_features_in_
    if not learner._widens:
        width = len(X[0]) if isinstance(X, (list, tuple)) else X.shape[1]
        raise ValueError(
            f"X has {width} features, but {type(learner).__name__} is expecting {n_features} features as "
            f"input: rows may get wider with grow_features=True."
        )
    names = names_of(X)
    if known is None or (names is not None and np.array_equal(names[:n_features], known)):
        return
    raise ValueError(
        f"X is wider than before, and its first {n_features} columns are not called as they were: "
        f"{', '.join(map(repr, known))}. New columns come after these."
    )


def widen(estimator: Any, X: Any, given: Any) -> None:
    """Know the width of rows, and the names of their columns as the user gave them."""
    if X.shape[1] > estimator.n_features_in_:
        estimator.n_features_in_ = X.shape[1]
        if "feature_names_in_" in vars(estimator):
            estimator.feature_names_in_ = names_of(given)


def names_of(X: Any) -> np.ndarray | None:
    """The names of the columns of a table, if they are all strings."""
    columns = list(getattr(X, "columns", ()))
    if not columns or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(columns, object)
