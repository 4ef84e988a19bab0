"""Averages kept lazily against averages of models that were all written down."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from onkel.budgets import DropRandom, DropRandomUnbiased
from onkel.engine.machine import Machine
from onkel.kernels import Rbf
from onkel.model.state import SAFE_SCALE
from onkel.rules import ConstantStep, DecreasingStep
from tests.parts.workspaces import LAYOUTS, machine, random_rows

LENGTH = 700
#: Shrinks by 5 % an instance: the scale leaves its safe range every 180 instances.
SHRINKING = ConstantStep(0.5, 0.1)


def stream(outputs: int = 1) -> tuple[np.ndarray, np.ndarray]:
    X = random_rows("dense", LENGTH, np.float64, seed=5)
    labels = (np.abs(X[:, 0]) > 0.7).astype(int) + (outputs == 3) * (X[:, 1] > 0.5)
    noisy = np.random.default_rng(6).random(LENGTH) < 0.1
    labels = np.where(noisy, 0, labels)
    return X, labels * 2.0 - 1.0 if outputs == 1 else labels.astype(float)


def present(owner: Machine) -> np.ndarray:
    """The coefficients of the last model, C x LENGTH, by the age of the vectors."""
    model, n = owner.model, owner.n
    by_age = np.zeros((owner.shape.n_outputs, LENGTH))
    by_age[:, model.born[:n] - 1] = model.coef[:, :n] * model.now[0]["scale"]
    return by_age


def ages(owner: Machine) -> np.ndarray:
    return owner.model.born[: owner.n] - 1


def check(owner: Machine, window: list[np.ndarray], rtol: float = 1e-10) -> None:
    """The output is the mean of the models in the window, of the vectors that are still there."""
    expected = np.mean(window, axis=0)[:, ages(owner)]
    np.testing.assert_allclose(owner.output_coef(), expected, rtol=rtol, atol=1e-13)


def walked(average: Any, rule: Any, budget: Any = None, outputs: int = 1) -> Any:
    """Learn one instance at a time; yields t, the machine, and all models w_1 .. w_t."""
    X, y = stream(outputs)
    owner = machine("dense", kernel=Rbf(0.2), rule=rule, budget=budget, outputs=outputs,
                    average=average)  # fmt: skip
    past: list[np.ndarray] = []
    for i in range(LENGTH):
        past.append(present(owner))
        owner.learn(X[i : i + 1], y[i : i + 1], np.ones(1))
        yield i + 1, owner, past


def restart_times(alpha: float, until: int) -> list[int]:
    times = [1]
    while times[-1] <= until:
        times.append(max(times[-1] + 1, math.ceil(times[-1] / (1 - alpha))))
    return times[:-1]


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("rule", [SHRINKING, ConstantStep(0.5), DecreasingStep(0.05)])
def test_the_average_of_all_models(rule: Any, outputs: int) -> None:
    folds, scale = 0, 1.0
    for t, owner, past in walked(1.0, rule, outputs=outputs):
        now = owner.model.now[0]["scale"]
        folds += now > scale
        scale = now
        assert SAFE_SCALE[0] < scale < SAFE_SCALE[1]
        if t % 50 == 0 or t < 4:
            check(owner, past)
    assert owner.n > 100
    if rule is SHRINKING:
        assert folds >= 3
        assert not np.allclose(owner.output_coef(), present(owner)[:, ages(owner)])


def test_the_scale_is_folded_when_it_grows_too() -> None:
    """BOGD multiplies by B/(B-1) at each drop; what is dropped leaves the average as well."""
    folds, scale = 0, 1.0
    for t, owner, past in walked(True, ConstantStep(0.01), DropRandomUnbiased(4, 1e300)):
        now = owner.model.now[0]["scale"]
        folds += now < scale
        scale = now
        if t % 35 == 0:
            check(owner, past, rtol=1e-9)
    assert folds >= 2
    assert np.isfinite(owner.output_coef()).all()


@pytest.mark.parametrize("alpha", [0.5, 0.3, 0.75])
@pytest.mark.parametrize("budget", [None, DropRandom(30)])
def test_the_suffix_average(alpha: float, budget: Any) -> None:
    """The window is between alpha and 1 - (1 - alpha)^2 of what was instance.

    Rounding up to whole instances, twice, adds at most 1 + (1 - alpha) + (1 - alpha)^2 < 3.
    """
    times = restart_times(alpha, LENGTH)
    shares = []
    for t, owner, past in walked(alpha, SHRINKING, budget):
        begun = [start for start in times if start <= t]
        first = begun[-2] if len(begun) > 1 else begun[0]
        window = past[first - 1 :]
        assert len(window) >= alpha * t
        assert len(window) <= (1 - (1 - alpha) ** 2) * t + 3
        if t in times or t + 1 in times or t % 97 == 0:
            check(owner, window)
        if t > 100:
            shares.append(len(window) / t)
    assert len(times) >= 4
    assert min(shares) < alpha + 0.05 and max(shares) > 1 - (1 - alpha) ** 2 - 0.05


@pytest.mark.parametrize("average", [1.0, 0.5])
def test_progress_scores_the_average_before_each_update(average: Any) -> None:
    X, y = stream()
    owner = machine("dense", kernel=Rbf(0.2), rule=SHRINKING, average=average)
    trace = np.full((LENGTH, 1), np.nan)
    owner.learn(X, y, np.ones(LENGTH), trace)
    scores = []
    gram = np.exp(-0.2 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    times = restart_times(0.5, LENGTH) if average == 0.5 else [1]
    for t, _, past in walked(average, SHRINKING):
        begun = [start for start in times if start <= t]
        window = past[(begun[-2] if len(begun) > 1 else begun[0]) - 1 :]
        scores.append(float(np.mean(window, axis=0)[0] @ gram[t - 1]))
    np.testing.assert_allclose(trace[:, 0], scores, rtol=0, atol=1e-11)
    mistakes = int((np.array(scores) * y <= 0).sum())
    assert owner.model.now[0]["mistakes"] == mistakes
    hinge = np.maximum(0, 1 - np.array(scores) * y).sum()
    assert owner.model.now[0]["loss"] == pytest.approx(hinge, rel=1e-10)


def test_the_average_over_nothing_is_the_zero_function() -> None:
    owner = machine("dense", kernel=Rbf(0.2), average=True)
    assert owner.output_coef().shape == (1, 0)
    np.testing.assert_array_equal(owner.scores(np.ones((3, LAYOUTS["dense"]))), np.zeros((3, 1)))
