"""How many vectors the samplers keep: SPA's and OSKL's expectations, over many seeds."""

from __future__ import annotations

import numpy as np
import pytest

from onkel import ComposedClassifier, OSKLClassifier, SPAClassifier, SPARegressor
from onkel.budgets import DropOldest, Sometimes
from onkel.rules import SampledGradient, SampledPassiveAggressive
from tests.invariants.streams import learn, numbers, two_classes

ROWS, SEEDS = 400, 60


def sizes(model: type, X: np.ndarray, y: np.ndarray, **settings: float) -> np.ndarray:
    return np.array([
        learn(model(gamma=1.0, random_state=seed, **settings), X, y).n_support_
        for seed in range(SEEDS)
    ])  # fmt: skip


def mean_within(found: np.ndarray, bound: float) -> bool:
    """The mean is at most the bound, with four standard errors for chance."""
    return bool(found.mean() <= bound + 4 * found.std(ddof=1) / np.sqrt(len(found)))


@pytest.mark.parametrize(("cap", "sampling"), [(1.0, 5.0), (0.5, 5.0), (1.0, 20.0), (2.0, 2.0)])
def test_spa_keeps_at_most_its_share(cap: float, sampling: float) -> None:
    X, y = two_classes(ROWS, flipped=0.3)
    found = sizes(SPAClassifier, X, y, loss_cap=cap, sampling=sampling, step=0.1)
    assert mean_within(found, cap * ROWS / sampling)


def test_the_bound_is_tight_where_every_loss_exceeds_the_cap() -> None:
    """Random labels and tiny steps: all losses are about 1, the probability is cap/sampling."""
    X, _ = two_classes(ROWS)
    y = np.where(np.random.default_rng(5).random(ROWS) < 0.5, 1, -1)
    found = sizes(SPAClassifier, X, y, loss_cap=0.5, sampling=2.5, step=1e-4)
    expected, deviation = 0.2 * ROWS, np.sqrt(0.2 * 0.8 * ROWS)
    assert abs(found.mean() - expected) < 4 * deviation / np.sqrt(SEEDS)
    assert (
        0.6 * deviation < found.std(ddof=1) < 1.6 * deviation
    )  # a binomial number, not a constant
    assert not mean_within(found, 0.8 * expected)  # the check can fail


def test_spa_regression_keeps_at_most_its_share() -> None:
    X, y = numbers(ROWS)
    assert mean_within(sizes(SPARegressor, X, y, loss_cap=1.0, sampling=4.0), ROWS / 4)


def test_oskl_keeps_one_in_g_of_the_instances_with_a_hinge_loss() -> None:
    """With tiny steps every instance has a slope of 1: a binomial number of probability 1/G."""
    X, y = two_classes(ROWS, flipped=0.3)
    found = sizes(OSKLClassifier, X, y, step=1e-4, sampling=4.0)
    error = np.sqrt(0.25 * 0.75 * ROWS / SEEDS)
    assert abs(found.mean() - ROWS / 4) < 4 * error
    assert mean_within(sizes(OSKLClassifier, X, y, step=0.5, sampling=4.0), ROWS / 4)


@pytest.mark.parametrize(
    "rule", [SampledGradient(1e-3, 4.0), SampledPassiveAggressive(1e-3, 1.0, 4.0)]
)
def test_a_rule_samples_with_another_draw_than_its_budget(rule: object) -> None:
    """One instance in four is sampled. Beyond 20 vectors the budget drops one with probability 200/t,
    which is never less than 1/4 here: with the same draw for both, the model would never grow."""
    rows, size, rate = 800, 20, 200.0
    X, y = two_classes(rows, flipped=0.3)
    found = np.array([
        learn(ComposedClassifier(rule=rule, budget=Sometimes(DropOldest(size), rate), gamma=1.0,
                                 random_state=seed), X, y).n_support_
        for seed in range(SEEDS)
    ])  # fmt: skip
    grown = (1.0 - np.minimum(rate / np.arange(1, rows + 1), 1.0)) / 4.0
    error = np.sqrt((grown * (1.0 - grown)).sum() / SEEDS)
    assert abs(found.mean() - size - grown.sum()) < 4 * error + 0.02 * grown.sum()
