"""Ridge regression of small size, streams for it, and what must be the same in two models."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel import (
    FourierRidgeClassifier,
    FourierRidgeRegressor,
    NystromRidgeClassifier,
    NystromRidgeRegressor,
)

LEARNERS = (
    FourierRidgeClassifier,
    FourierRidgeRegressor,
    NystromRidgeClassifier,
    NystromRidgeRegressor,
)
CLASSES = [0, 1, 2]


def make(cls: Any, **changes: Any) -> Any:
    settings: dict[str, Any] = {"gamma": 0.4, "regularization": 0.05, "random_state": 3}
    if "Nystrom" in cls.__name__:
        settings["landmarks"] = np.random.default_rng(9).normal(size=(15, 4))
    else:
        settings["n_components"] = 12
    return cls(**settings | changes)


def rows(n: int, seed: int = 0, cls: Any = FourierRidgeRegressor) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=n)
    return X, np.digitize(y, [-0.5, 0.5]) if "Classifier" in cls.__name__ else 5.0 + 20.0 * y


def learn(model: Any, X: Any, y: np.ndarray, **more: Any) -> Any:
    if isinstance(model, (FourierRidgeClassifier, NystromRidgeClassifier)):
        more["classes"] = CLASSES
    return model.partial_fit(X, y, **more)


def scores(model: Any, X: Any) -> np.ndarray:
    ask = getattr(model, "decision_function", model.predict)
    return np.asarray(ask(X))


def assert_same(model: Any, other: Any, tolerance: float = 1e-8) -> None:
    X = rows(50, seed=99)[0]
    unit = float(np.abs(scores(other, X)).max())
    np.testing.assert_allclose(scores(model, X), scores(other, X), rtol=0, atol=tolerance * unit)
