"""Short streams for races, and learners that say what they think of a row before they learn it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.estimators.hearing import listening


class Stream(NamedTuple):
    X: np.ndarray
    y: np.ndarray


def stream(task: str, rows: int = 700, seed: int = 0) -> Stream:
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * random.normal(size=rows)
    if task == "binary":
        return Stream(X, (y > 0).astype(int))
    if task == "multiclass":
        return Stream(X, np.digitize(y, [-0.7, 0.7]))
    return Stream(X, y)


def learn_on(model: Any, X: np.ndarray, y: np.ndarray, **more: Any) -> Any:
    """``partial_fit`` with the labels declared, in the first call."""
    if hasattr(model, "predict_proba") and not hasattr(model, "classes_"):
        more["classes"] = np.unique([0, 1, *y.tolist()])
    return model.partial_fit(X, y, **more)


def said_alone(model: Any, data: Stream, weights: np.ndarray) -> np.ndarray:
    """What a learner says of every row before it learns it, by itself."""
    with listening(model) as listener:
        learn_on(model, *data, sample_weight=weights)
    return listener.take().scores
