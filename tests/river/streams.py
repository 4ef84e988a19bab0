"""Streams of dicts."""

from __future__ import annotations

from typing import Any

import numpy as np

import onkel
from onkel import river
from onkel.estimators.online import OnlineLearner

LEARNERS = [name for name in onkel.__all__ if issubclass(getattr(onkel, name), OnlineLearner)]
#: Sizes that short streams fill, for both the river model and the learner.
SETTINGS: dict[str, dict[str, Any]] = {
    name: {
        size: 20
        for size in ("budget", "n_components")
        if isinstance(getattr(onkel, name)().get_params().get(size), (int, str))
    }
    for name in LEARNERS
}


def rows(n: int, n_features: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, n_features))


def dicts(X: np.ndarray) -> list[dict[str, float]]:
    """Rows as dicts; the names are in the order of the columns."""
    names = [f"f{j:03}" for j in range(X.shape[1])]
    return [dict(zip(names, row)) for row in X.tolist()]


def targets(name: str, X: np.ndarray, n_classes: int = 2) -> np.ndarray:
    """What a learner of this name can learn of these rows."""
    turn = X[:, 0] * X[:, 1]
    if name.endswith("Regressor"):
        return turn + 3.0
    if name == "SPAOneClass":
        return np.ones(len(X))
    return np.array(["one", "two", "three"])[np.digitize(turn, [0.0, 0.7][: max(1, n_classes - 1)])]


def learn(model: Any, x: dict[str, float], y: Any) -> None:
    if isinstance(model, river.SPAOneClass):
        model.learn_one(x)
    else:
        model.learn_one(x, y)


def make(name: str, **more: Any) -> Any:
    return getattr(river, name)(**(SETTINGS.get(name, {}) | {"seed": 7} | more))


def make_learner(name: str, **more: Any) -> Any:
    """The learner of onkel with the same settings."""
    return getattr(onkel, name)(**(SETTINGS.get(name, {}) | {"random_state": 7} | more))


def said_by(learner: Any, X: np.ndarray) -> np.ndarray:
    """What a learner of onkel says of rows, as numbers."""
    ask = "decision_function" if hasattr(learner, "decision_function") else "predict"
    return np.asarray(getattr(learner, ask)(X), float)
