"""CSVRG as it comes is about as accurate as scikit-learn's SVC as it comes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from onkel import CSVRGClassifier
from onkel.datasets import load

WORST = 0.02  # of accuracy


def rings(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Breiman's ringnorm: 20 features, one class within the other, four times as wide."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    inner, outer = rng.normal(size=(rows, 20)) + 2 / np.sqrt(20), 2 * rng.normal(size=(rows, 20))
    return np.where(y[:, None] == 1, inner, outer), y


def check(train: tuple[np.ndarray, np.ndarray], test: tuple[np.ndarray, np.ndarray]) -> None:
    scaler = StandardScaler().fit(train[0])
    X, X_test = (scaler.transform(rows) for rows in (train[0], test[0]))
    known = SVC().fit(X, train[1]).score(X_test, test[1])
    found = CSVRGClassifier(random_state=0).fit(X, train[1]).score(X_test, test[1])
    assert found >= known - WORST


def test_of_a_ring_in_twenty_dimensions() -> None:
    check(rings(2000, 0), rings(2000, 1))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.data(name)) for name in ("dna", "letter", "satimage")],
)
def test_of_benchmark_data(name: str) -> None:
    train, test = load(name), load(name, "test")
    few = np.random.default_rng(0).permutation(len(train[1]))[:2000]
    check((train[0].toarray()[few], train[1][few]), (test[0].toarray(), test[1]))
