"""How fast learners converge on streams from a fixed distribution whose optimum is known.

Exponents are slopes of straight lines through (log T, log gap). Each test also runs a learner
that must not have the rate, so that the check is known to tell them apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onkel import AVMClassifier, KernelSGDClassifier, OGDRegressor
from tests.invariants.streams import learn, rbf

GAMMA, REGULARIZATION = 1.0, 0.02
LENGTHS = [250, 500, 1000, 2000, 4000]


def exponent(gaps: list[float]) -> float:
    return float(np.polyfit(np.log(LENGTHS), np.log(gaps), 1)[0])


# -- regret of OGD ---------------------------------------------------------------------------

NOISE = 0.5
PLAIN = {"intercept": False, "scale_targets": False}


def noisy_numbers(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """y = f(x) + noise for a function f of the kernel's own space; rows, targets, f(x)."""
    places = np.random.default_rng(0).uniform(-2, 2, size=(8, 2))
    heights = np.resize([1.0, -1.0], 8)
    rng = np.random.default_rng((1, seed))
    X = rng.uniform(-2, 2, size=(rows, 2))
    clean = rbf(X, places, GAMMA) @ heights
    return X, clean + NOISE * rng.normal(size=rows), clean


def regret(rows: int, step: float) -> float:
    """Against f itself, the best there is in expectation; the mean of four streams."""
    total = 0.0
    for seed in range(4):
        X, y, clean = noisy_numbers(rows, seed)
        model = learn(OGDRegressor(loss="l2", step=step, gamma=GAMMA, **PLAIN), X, y)
        total += rows * model.progress_.loss - 0.5 * float(((clean - y) ** 2).sum())
    return total / 4


def test_regret_of_ogd_grows_like_the_root_of_time() -> None:
    """The bound |f|^2/(2 step) + step T (...)/2 is of order sqrt(T) for step = c/sqrt(T).

    Four streams leave the slope an error of some hundredths: 0.5 +- 0.12. A constant step pays the
    noise at every instance, a step of c/T never learns: both exponents are near 1.
    """
    found = exponent([regret(T, 6 / np.sqrt(T)) for T in LENGTHS])
    assert 0.38 < found < 0.62
    assert exponent([regret(T, 0.5) for T in LENGTHS]) > 0.8
    assert exponent([regret(T, 5.0 / T) for T in LENGTHS]) > 0.8


# -- excess objective of SGD and AVM ---------------------------------------------------------


class Places:
    """Rows are drawn from forty places, labels with a probability that belongs to the place.

    So the objective lambda/2 |w|^2 + E log(1 + exp(-y f(x))) is a sum, its minimum a small problem.
    """

    def __init__(self) -> None:
        rng = np.random.default_rng(4)
        self.x = rng.uniform(-2, 2, size=(40, 2))
        self.chance = 1 / (1 + np.exp(-4 * (np.sin(2 * self.x[:, 0]) + self.x[:, 1])))
        self.gram = rbf(self.x, self.x, GAMMA)
        self.least = self.objective(self.optimum())

    def objective(self, coef: np.ndarray) -> float:
        f = self.gram @ coef
        losses = self.chance * np.logaddexp(0, -f) + (1 - self.chance) * np.logaddexp(0, f)
        return REGULARIZATION / 2 * float(coef @ f) + float(losses.mean())

    def optimum(self) -> np.ndarray:
        """Where lambda coef + slopes = 0, by Newton's method."""
        coef = np.zeros(40)
        for _ in range(50):
            sure = 1 / (1 + np.exp(-self.gram @ coef))
            gradient = REGULARIZATION * coef + (sure - self.chance) / 40
            curved = (sure * (1 - sure) / 40)[:, None] * self.gram
            coef -= np.linalg.solve(REGULARIZATION * np.eye(40) + curved, gradient)
        assert np.abs(gradient).max() < 1e-14
        return coef

    def stream(self, rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng((2, seed))
        drawn = rng.integers(40, size=rows)
        return self.x[drawn], np.where(rng.random(rows) < self.chance[drawn], 1, -1)

    def excess(self, model: Any) -> float:
        """Of a learner: its vectors are places, whose coefficients are summed."""
        vectors = np.asarray(model.support_vectors_)
        place = ((vectors[:, None] - self.x[None]) ** 2).sum(axis=2).argmin(axis=1)
        coef = np.bincount(place, weights=model.dual_coef_[0], minlength=40)
        return self.objective(coef) - self.least


@pytest.fixture(scope="module")
def places() -> Places:
    return Places()


def mean_excess(places: Places, rows: int, seeds: int = 3, **settings: Any) -> float:
    settings = {"regularization": REGULARIZATION, "average": True, **settings}
    make = AVMClassifier if "diameter" in settings else KernelSGDClassifier
    found = []
    for seed in range(seeds):
        model = make(loss="logistic", gamma=GAMMA, **settings)
        found.append(places.excess(learn(model, *places.stream(rows, seed))))
    return float(np.mean(found))


def test_excess_objective_of_sgd_falls_like_log_t_over_t(places: Places) -> None:
    """Between 250 and 4000, log T / T has the slope -0.85.

    It is a bound: the first, large steps are forgotten faster, which makes the slope steeper by
    some tenths. 1/sqrt(T) has -0.5. Steps ten times too small end at the wrong minimum: slope 0.
    """
    gaps = [mean_excess(places, T) for T in LENGTHS]
    assert min(gaps) > 0
    assert -1.35 < exponent(gaps) < -0.7
    # |slope| <= 1 and k(x, x) = 1: the theorem's constant is 1/(2 lambda), for every length.
    bounds = [(1 + np.log(T)) / (2 * REGULARIZATION * T) for T in LENGTHS]
    assert all(gap < bound for gap, bound in zip(gaps, bounds, strict=True))
    wrong = [mean_excess(places, T, regularization=10 * REGULARIZATION) for T in LENGTHS]
    assert exponent(wrong) > -0.3


def test_excess_objective_of_avm_falls_to_a_floor_that_shrinks_with_the_cells(
    places: Places,
) -> None:
    """Wide cells: the gap stops falling. Narrow ones: the rate of SGD, and its gap."""
    diameters = (2.0, 1.0, 0.5)
    late = [mean_excess(places, 4000, diameter=d) for d in diameters]
    exact = mean_excess(places, 4000)
    assert late[0] > 2 * late[1] > 4 * late[2] > 0
    wide = [mean_excess(places, T, diameter=2.0) for T in LENGTHS]
    assert exponent(wide) > -0.4
    narrow = [mean_excess(places, T, diameter=1e-3) for T in LENGTHS]
    assert narrow[-1] == pytest.approx(exact, rel=1e-6)
    assert -1.35 < exponent(narrow) < -0.7
