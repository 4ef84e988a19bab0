"""Machine code is made, or fetched from disk, before the clock starts."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from onkel.engine.layout import is_hollow, layout_for

ROWS = 600
#: With so small a support set even a few rows come to what happens when it is full.
SMALL = {"budget": 20, "max_cores": 20, "rank": 4, "n_components": 16, "epochs": 1}

_done: set[Any] = set()


def warm_up(learner: Any, X: Any, y: Any, classes: Any = None, *, online: bool = True) -> float:
    """Let a small copy of an onkel learner learn a few rows and predict, once a combination.

    A combination is a learner with its choices (not its numbers), the kind of rows and whether
    there are more than two classes. The learner itself isn't touched. Errors are left to the run
    proper. Returns the seconds that it took.
    """
    began = time.perf_counter()
    if type(learner).__module__.startswith("onkel."):
        _warm_up(learner, X, y, classes, online)
    return time.perf_counter() - began


def _warm_up(learner: Any, X: Any, y: Any, classes: Any, online: bool) -> None:
    many = len(np.unique(y) if classes is None else classes) > 2
    combination = (online, many, _layout(X), _choices(learner))
    if combination in _done:
        return
    _done.add(combination)
    small = clone(learner)
    numbers = {k: v for k, v in small.get_params(deep=False).items() if _is_number(v)}
    small.set_params(**{k: min(v, SMALL[k]) for k, v in numbers.items() if k in SMALL})
    # spread over the chunk: its first rows may be of one class
    rows = np.unique(np.linspace(0, len(y) - 1, ROWS).astype(int))
    X, y = X[rows], np.asarray(y)[rows]
    try:
        if online:
            small.partial_fit(X, y, **({} if classes is None else {"classes": classes}))
        else:
            small.fit(X, y)
        small.predict(X)
    except Exception:
        return  # whatever is wrong comes up again in the run, and is told there


def _layout(X: Any) -> tuple[Any, ...]:
    """The kind of rows; of a table a pipeline makes them."""
    if not hasattr(X, "dtype"):
        return (type(X),)
    return X.dtype.str, layout_for(X), not sparse.issparse(X) and is_hollow(X)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _choices(learner: Any) -> tuple[Any, ...]:
    values = learner.get_params(deep=False).items()
    return (
        type(learner),
        *((name, "number" if _is_number(value) else repr(value)) for name, value in values),
    )
