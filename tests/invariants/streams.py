"""Streams for the invariants: noisy labels of a fixed distribution in the square."""

from __future__ import annotations

from typing import Any

import numpy as np

CLASSES = [-1, 1]


def two_classes(rows: int, seed: int = 0, flipped: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Rows in [-2, 2]^2; the label is the sign of sin(2 x1) + x2, wrong with some probability."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(rows, 2))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] > 0, 1, -1)
    return X, np.where(rng.random(rows) < flipped, -y, y)


def three_classes(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X, y = two_classes(rows, seed)
    return X, np.where(X[:, 0] > 0.8, 2, (y + 1) // 2)


def numbers(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X, _ = two_classes(rows, seed)
    noise = np.random.default_rng(seed + 1).normal(size=rows)
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * noise


def learn(model: Any, X: np.ndarray, y: np.ndarray, chunk: int | None = None) -> Any:
    """partial_fit in chunks; all labels declared."""
    chunk = chunk or len(y)
    classes = {} if not hasattr(model, "decision_function") else {"classes": np.unique(y)}
    if hasattr(model, "contamination"):
        classes = {}
    for first in range(0, len(y), chunk):
        model.partial_fit(X[first : first + chunk], y[first : first + chunk], **classes)
    return model


def scores(model: Any, X: np.ndarray) -> np.ndarray:
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def rbf(A: np.ndarray, B: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-gamma * ((A[:, None] - B[None]) ** 2).sum(axis=2))
