"""More passes over the same rows lead on towards the same solution: they do not hurt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

import onkel
from onkel.datasets import load

#: How many rows to learn from, and with which parameters.
FAMILIES: dict[str, tuple[int, dict[str, Any]]] = {
    "BSGD": (5000, {"budget": 30}),
    "NBSGD": (2000, {"budget": 30}),
    "AVM": (2000, {}),
    "KernelSGD": (2000, {}),
}
PASSES = (3, 10)
#: Of R² or accuracy: what the noise of the last steps may cost.
SLACK = 0.01


def waves(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A rough function of four features, and some noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    along = X @ np.random.default_rng(99).normal(size=(4, 4)) / 2
    y = np.sin(2 * along[:, 0]) + along[:, 2] * np.cos(2 * along[:, 1])
    return X, y + 0.1 * rng.normal(size=rows)


@pytest.mark.parametrize("family", FAMILIES)
def test_passes_do_not_hurt_a_regressor(family: str) -> None:
    rows, parameters = FAMILIES[family]
    (X, y), test = waves(rows, 0), waves(2000, 1)

    def r2(epochs: int) -> float:
        make = getattr(onkel, f"{family}Regressor")
        model = make(epochs=epochs, random_state=0, **parameters).fit(X, y)
        return float(model.score(*test))

    once = r2(1)
    assert once > 0.5
    for epochs in PASSES:
        assert r2(epochs) > once - SLACK


@pytest.mark.parametrize("family", FAMILIES)
def test_passes_do_not_hurt_a_classifier(family: str) -> None:
    rows, parameters = FAMILIES[family]
    (X, y), (X_test, y_test) = waves(rows, 0), waves(2000, 1)
    wrong = np.random.default_rng(2).random(len(y)) < 0.1
    labels = (y > 0) ^ wrong

    def accuracy(epochs: int) -> float:
        make = getattr(onkel, f"{family}Classifier")
        model = make(epochs=epochs, random_state=0, **parameters).fit(X, labels)
        return float(model.score(X_test, y_test > 0))

    once = accuracy(1)
    assert once > 0.8
    for epochs in PASSES:
        assert accuracy(epochs) > once - SLACK


@pytest.mark.data("cadata")
def test_passes_do_not_hurt_where_they_did() -> None:
    """With lambda divided by the epochs as well, R² falls from 0.69 to 0.04 here."""
    X, y = load("cadata")
    X, y = StandardScaler().fit_transform(X.toarray()), (y - y.mean()) / y.std()
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:8000], order[8000:13000]

    def r2(epochs: int) -> float:
        model = onkel.BSGDRegressor(epochs=epochs, random_state=0).fit(X[train], y[train])
        return float(model.score(X[test], y[test]))

    assert r2(10) > max(r2(1), 0.65)
