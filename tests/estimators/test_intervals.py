"""Prediction intervals: every regressor has them, they hold what they promise, and bad input is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onkel
from onkel.calibration import ResidualQuantiles
from tests.estimators.cases import REGRESSORS, data_for, learn_on, make

LEVELS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.995)


@pytest.mark.parametrize("name", REGRESSORS)
def test_every_regressor_tells_intervals(name: str) -> None:
    X, y = data_for(name)
    model = learn_on(make(name), X[:1], y[:1])
    assert np.isfinite(model.predict_interval(X)).all()
    model = learn_on(model, X[1:], y[1:])
    ends = np.stack([model.predict_interval(X, level) for level in LEVELS])
    assert ends.shape == (len(LEVELS), 60, 2)
    np.testing.assert_allclose(ends.mean(axis=2), np.tile(model.predict(X), (len(LEVELS), 1)))
    assert (np.diff(ends[:, :, 1] - ends[:, :, 0], axis=0) >= 0).all(), "wider for more coverage"
    np.testing.assert_array_equal(model.predict_interval(X), model.predict_interval(X, 0.9))


def covered(residuals: np.ndarray, level: float) -> float:
    """The share of rows whose residual the interval before them held, from the second row on.

    The scores are all 0: the rows are off by what they are, less the line's own mean of those before.
    """
    quantiles, hits = ResidualQuantiles(), 0
    for i, residual in enumerate(residuals):
        width = quantiles.quantile(level)
        (said,) = quantiles.observe(np.zeros((1, 1)), np.array([residual]), np.ones(1))[0]
        hits += i > 0 and abs(residual - said) <= width
    return hits / (len(residuals) - 1)


def drifting(random: np.random.Generator) -> np.ndarray:
    """The spread grows tenfold, falls, and jumps."""
    return random.normal(size=4000) * np.r_[np.geomspace(1, 10, 2000), np.full(2000, 0.5)]


RESIDUALS: dict[str, Any] = {
    "normal": lambda random: random.normal(size=2000),
    "heavy tails": lambda random: random.standard_t(2.5, size=2000),
    "of two sizes": lambda random: random.choice([0.1, 1.0], 2000) * random.normal(size=2000),
    "bounded": lambda random: random.uniform(-1, 1, 2000),
    "shrinking": lambda random: random.normal(size=2000) / np.sqrt(1 + np.arange(2000) / 20),
    "drifting": drifting,
    "of few rows": lambda random: random.normal(size=400),
}


@pytest.mark.parametrize("kind", RESIDUALS)
@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_the_promised_share_is_held(kind: str, level: float) -> None:
    residuals = RESIDUALS[kind](np.random.default_rng(1))
    assert covered(residuals, level) == pytest.approx(level, abs=0.015)


@pytest.mark.parametrize("rows", [1, 2, 3, 6, 12, 30])
def test_few_rows_promise_no_more_than_they_know(rows: int) -> None:
    """Of normal residuals the promised share, or a little less; without a widening it is 20 points less of two."""
    random, held = np.random.default_rng(rows), np.zeros(5)
    levels = (0.5, 0.8, 0.9, 0.95, 0.99)
    for _ in range(4000):
        *before, last = random.normal(size=rows + 1)
        quantiles = ResidualQuantiles()
        quantiles.observe(np.zeros((rows, 1)), np.array(before), np.ones(rows))
        off = abs(last - quantiles.line[1])
        held += [off <= quantiles.quantile(level) for level in levels]
    more = held / 4000 - levels
    assert (more > -0.03).all() and (more < 0.13).all()


def test_levels_in_between_hold_too() -> None:
    residuals = np.random.default_rng(2).normal(size=4000)
    for level in (0.3, 0.65, 0.85, 0.97, 0.995):
        assert covered(residuals, level) == pytest.approx(level, abs=0.03)


def test_rows_to_come_are_covered() -> None:
    random = np.random.default_rng(0)
    X = random.uniform(-3, 3, (12_000, 1))
    y = np.sin(2 * X[:, 0]) + 0.2 * random.normal(size=12_000)
    model = onkel.FOGDRegressor(gamma=1.0, n_components=100, random_state=0).fit(X[:8000], y[:8000])
    for level in (0.5, 0.9, 0.99):
        low, high = model.predict_interval(X[8000:], level).T
        held = ((y[8000:] >= low) & (y[8000:] <= high)).mean()
        assert held == pytest.approx(level, abs=0.035)


def test_a_unit_of_targets_is_the_unit_of_intervals() -> None:
    residuals = np.random.default_rng(3).normal(size=(500, 1))
    found = []
    for unit in (1.0, 1e9):
        quantiles = ResidualQuantiles()
        quantiles.observe(unit * residuals, np.zeros(500), np.ones(500))
        found.append(quantiles.quantile(0.9) / unit)
    assert found[1] == pytest.approx(found[0], rel=1e-9)


@pytest.mark.parametrize("wrong", [0, 1, 1.5, -0.1, np.nan, "0.9", True, None])
def test_bad_coverage(wrong: Any) -> None:
    X, y = data_for("FOGDRegressor")
    model = make("FOGDRegressor").fit(X, y)
    with pytest.raises(ValueError, match=r"coverage=.* must be a number > 0 and < 1"):
        model.predict_interval(X, wrong)
