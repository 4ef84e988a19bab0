"""What a regressor says is a line of its scores, learned from the scores before each update."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

import onkel
from onkel.calibration import ResidualQuantiles
from onkel.estimators.hearing import listening

FOURIER = {"n_components": 100, "gamma": 0.2, "random_state": 0}


def noise(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that tell nothing of their targets."""
    random = np.random.default_rng(0)
    return random.normal(size=(n, 5)), random.exponential(size=n)


def test_a_model_of_noise_ends_up_near_the_mean() -> None:
    X, y = noise(6000)
    errors = {}
    for intercept in (True, False):  # without an intercept there is no line
        model = onkel.FOGDRegressor(intercept=intercept, average=0, **FOURIER)
        model.partial_fit(X[:4000], y[:4000])
        errors[intercept] = float(np.mean((model.predict(X[4000:]) - y[4000:]) ** 2))
    spread = float(np.var(y[4000:]))
    assert errors[True] < 1.05 * spread < 1.2 * spread < errors[False]


def test_scores_that_are_right_stay_as_they_are() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=(2000, 1))
    line = ResidualQuantiles()
    line.observe(scores, scores[:, 0] + 0.2 * random.normal(size=2000), np.ones(2000))
    assert line.line == pytest.approx([1.0, 0.0], abs=0.02)


@pytest.mark.parametrize(("slope", "offset"), [(0.5, 2.0), (0.0, -1.0), (-0.7, 0.0), (1.6, 3.0)])
def test_the_line_is_that_of_least_squares_between_none_and_all_of_the_scores(
    slope: float, offset: float
) -> None:
    random = np.random.default_rng(1)
    scores = random.normal(2.0, 1.0, size=(4000, 1))
    targets = slope * scores[:, 0] + offset + random.normal(size=4000)
    line = ResidualQuantiles()
    line.observe(scores, targets, np.ones(4000))
    kept = min(max(1.1 * slope, 0.0), 1.0)
    assert line.line[0] == pytest.approx(kept, abs=0.05)
    mean = float(line.line[0] * scores.mean() + line.line[1])
    assert mean == pytest.approx(targets.mean(), abs=0.15)


def test_the_error_so_far_is_that_of_what_was_said() -> None:
    X, y = noise(3000)
    model = onkel.FOGDRegressor(**FOURIER)
    with listening(model) as listener:
        model.partial_fit(X, y)
    said: Any = listener.take()
    error = float(np.mean((said.scores[:, 0] - y) ** 2))
    assert model.progress_.squared_error == pytest.approx(error, rel=1e-9)


def test_the_model_told_is_the_one_that_predicts() -> None:
    X, y = noise(1000)
    model = onkel.OGDRegressor(gamma=0.2, step=0.5, random_state=0).partial_fit(X, y)
    assert model._fitted().observer.line[0] < 0.9
    values = rbf_kernel(X[:50], model.support_vectors_, gamma=0.2)
    by_hand = values @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(by_hand, model.predict(X[:50]), rtol=1e-9)
