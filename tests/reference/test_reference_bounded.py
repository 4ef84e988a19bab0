"""Sanity of the twins with step 1/(lambda t): budgets, projections, merging, cells."""

import numpy as np
import pytest

from tests.reference import losses, merging
from tests.reference.avm import AVM
from tests.reference.bsgd import BSGD, JITTER, NBSGD
from tests.reference.cases import (
    GAMMA,
    GENTLE,
    MARGIN,
    TASKS,
    build,
    curve,
    fed,
    same_curve,
    stream,
)
from tests.reference.sgd import SGD

# ---- the 1/(lambda t) family ------------------------------------------------------------------


@pytest.mark.parametrize("maintenance", ["removal", "projection", "merging"])
@pytest.mark.parametrize("task", TASKS)
def test_below_the_budget_bsgd_is_sgd(task: str, maintenance: str) -> None:
    options = {"budget": 60, "maintenance": maintenance, "gamma": GAMMA}
    same_curve(
        build(BSGD, task, regularization=GENTLE[task], **options),
        build(SGD, task, regularization=GENTLE[task]),
        task,
    )


@pytest.mark.parametrize("maintenance", ["removal", "projection", "merging"])
@pytest.mark.parametrize("task", TASKS)
def test_nbsgd_lies_between_sgd_and_bsgd(task: str, maintenance: str) -> None:
    options = {"budget": 5, "maintenance": maintenance, "gamma": GAMMA}
    data = stream(task, 30)
    always = build(NBSGD, task, maintenance_rate=np.inf, regularization=GENTLE[task], **options)
    same_curve(always, build(BSGD, task, regularization=GENTLE[task], **options), task, data)
    never = build(NBSGD, task, maintenance_rate=0.0, regularization=GENTLE[task], **options)
    same_curve(never, build(SGD, task, regularization=GENTLE[task]), task, data)


def test_sgd_is_the_sum_of_slopes_over_lambda_t() -> None:
    twin = build(SGD, "binary", losses.logistic(), **MARGIN)
    X, targets, _ = stream("binary", 20)
    slopes = []
    for x, target in zip(X, targets, strict=True):
        slopes.append(-losses.logistic()[1](target * twin.scores(x)[0]) * target)
        twin.learn(x, target)
    np.testing.assert_allclose(twin.coef[0], np.array(slopes) / (0.01 * 20), rtol=1e-12)


def test_balls_hold_and_are_reached() -> None:
    for task, option, radius in (("binary", "project", 1.0), ("regression", "l2_ball", 0.0)):
        twin = build(SGD, task, regularization=0.25, **{option: True})
        free = build(SGD, task, regularization=0.25)
        for x, target, _ in zip(*stream(task), strict=True):
            twin.learn(x, target)
            free.learn(x, target)
            radius = max(radius, abs(target)) if task == "regression" else radius
            assert np.sqrt(twin.squared_norm()) <= radius / 0.5 * (1.0 + 1e-12)
        assert np.abs(twin.coef - free.coef).max() > 1e-3


@pytest.mark.parametrize("maintenance", ["removal", "projection", "merging"])
def test_ties_drop_the_oldest_and_the_newcomer_takes_its_slot(maintenance: str) -> None:
    # far apart, so that every row has hinge slope -1: all unscaled coefficients tie
    twin = build(BSGD, "binary", budget=3, maintenance=maintenance, gamma=GAMMA, **MARGIN)
    for i in range(3):
        twin.learn(np.array([10.0 * i, 0.0]), 1.0)
    assert twin.born == [1, 2, 3]
    twin.learn(np.array([30.0, 0.0]), 1.0)
    if maintenance == "merging":
        # p = born 1 and its partner born 2 merge at p (the h >= 1/2 optimum) into slot 1
        assert twin.born == [4, 2, 3]
        np.testing.assert_allclose(twin.vectors[1], [0.0, 0.0], atol=1e-12)
        np.testing.assert_allclose(twin.vectors[0], [30.0, 0.0])
    else:
        assert twin.born == [4, 2, 3]
        np.testing.assert_allclose(twin.vectors[0], [30.0, 0.0])


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("maintenance", ["projection", "merging"])
def test_maintenance_of_copies_loses_nothing(task: str, maintenance: str) -> None:
    # one row again and again, with changing targets: all vectors are in each other's span
    _, targets, draws = stream(task, 20)
    data = (np.tile([0.3, -0.4], (20, 1)), targets, draws)
    regular = {"regularization": GENTLE[task], "average": True}
    options = {"budget": 2, "maintenance": maintenance, "gamma": GAMMA, **regular}
    # slopes that differ, as equal ones would leave the rival class to rounding
    loss = None if task == "regression" else losses.logistic()
    bounded, free = build(BSGD, task, loss, **options), build(SGD, task, loss, **regular)
    probe = stream(task, 6, seed=8)[0]
    expected = curve(free, data, probe)
    got = curve(bounded, data, probe)
    assert len(free.vectors) > 4 and len(bounded.vectors) == 2
    # a projection loses the share of its jitter, once a row
    slack = 20 * JITTER if maintenance == "projection" else 1e-8
    np.testing.assert_allclose(got, expected, rtol=0, atol=slack * np.abs(expected).max())
    # nothing was lost on the way, so the maintained average is the true one
    averages = np.array([[twin.output(p) for p in probe] for twin in (bounded, free)])
    np.testing.assert_allclose(*averages, rtol=0, atol=slack * np.abs(averages).max())


@pytest.mark.parametrize("task", TASKS)
def test_all_neighbors_are_the_exact_projection(task: str) -> None:
    options = {"budget": 6, "maintenance": "projection", "regularization": GENTLE[task]}
    same_curve(build(BSGD, task, neighbors=6, **options), build(BSGD, task, **options), task)


def test_projection_leaves_a_rest_that_is_orthogonal_to_the_others() -> None:
    twin = build(BSGD, "binary", budget=10, maintenance="projection", **MARGIN)
    twin.budget = 100  # fill first, then maintain once by hand
    fed(twin, stream("binary", 11))
    before = [twin.scores(term.vector)[0] for term in twin.slots]
    born = twin.born
    twin.maintain()
    kept = {term.born: twin.scores(term.vector)[0] for term in twin.slots}
    assert len(kept) == len(born) - 1
    for year, score in zip(born, before, strict=True):
        if year in kept:
            assert kept[year] == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize("exponent", [0.0, 0.3, 1.9, 2.5, 8.0, 900.0])
@pytest.mark.parametrize(
    "pair", [([1.0], [1.0]), ([0.7], [1.0]), ([-0.7], [1.0]), ([1.0, -1.0, 0.0], [0.0, -2.0, 2.0])]
)
def test_merging_finds_the_best_place(pair: tuple[list[float], ...], exponent: float) -> None:
    c_p, c_j = np.array(pair[0]), np.array(pair[1])
    h = merging.best_h(c_p, c_j, exponent)
    found = np.sum(merging.merged(h, c_p, c_j, exponent) ** 2)
    tried = [np.sum(merging.merged(g, c_p, c_j, exponent) ** 2) for g in np.linspace(0, 1, 20001)]
    assert 0.0 <= h <= 1.0
    assert found >= max(tried) * (1.0 - 1e-10)
    assert merging.degradation(h, c_p, c_j, exponent) >= -1e-12
    if pair == ([1.0], [1.0]):
        assert h >= 0.5 - 1e-12
    if pair == ([-0.7], [1.0]) and exponent > 0.0:
        assert h == 0.0


def test_merging_measures_what_the_model_changes_by() -> None:
    twin = build(BSGD, "multiclass", budget=6, maintenance="merging", gamma=GAMMA, **MARGIN)
    twin.budget = 100
    fed(twin, stream("multiclass", 7))
    old = list(twin.slots)
    values = [float(t.value @ t.value) for t in old]
    leaving = min(range(len(old)), key=lambda i: (values[i] > min(values) * 1.000001, old[i].born))
    costs = []
    for j, term in enumerate(old):
        if j != leaving:
            exponent = twin.exponent(old[leaving], term)
            h = merging.best_h(old[leaving].value, term.value, exponent)
            costs.append(merging.degradation(h, old[leaving].value, term.value, exponent))
    twin.maintain()
    both = [*old, *twin.slots]
    change = np.stack([t.value for t in old] + [-t.value for t in twin.slots], axis=1)
    squared = float(np.sum((change @ twin.gram(both)) * change))
    assert squared == pytest.approx(min(costs), rel=1e-6)


# ---- AVM --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", ["sphere", "box"])
@pytest.mark.parametrize("task", TASKS)
def test_avm_of_tiny_cells_or_exact_steps_is_sgd(task: str, cells: str) -> None:
    regular = {"regularization": GENTLE[task]}
    free = build(SGD, task, **regular)
    same_curve(build(AVM, task, diameter=1e-9, cells=cells, **regular), free, task)
    exact = build(AVM, task, diameter=2.0, cells=cells, exact_rate=1e9, **regular)
    same_curve(exact, build(SGD, task, **regular), task)
    assert not exact.cores


def test_avm_covers() -> None:
    X, targets, draws = stream("binary", 150)
    ball = fed(build(AVM, "binary", diameter=0.5, **MARGIN), (X, targets, draws))
    apart = np.linalg.norm(ball.vectors[:, None] - ball.vectors[None], axis=2)
    assert apart[~np.eye(len(apart), dtype=bool)].min() >= 0.25
    assert np.linalg.norm(X[:, None] - ball.vectors[None], axis=2).min(axis=1).max() < 0.25
    box = fed(build(AVM, "binary", diameter=0.5, cells="box", **MARGIN), (X, targets, draws))
    reach = np.abs(X[:, None] - box.vectors[None]).max(axis=2).min(axis=1).max()
    assert reach < 0.5 / (2.0 * np.sqrt(2.0))


def test_avm_at_its_cap() -> None:
    data = stream("binary")
    for at_cap in ("charge", "drop"):
        for cells in ("sphere", "box"):
            twin = build(
                AVM, "binary", diameter=0.1, cells=cells, max_cores=5, at_cap=at_cap, **MARGIN
            )
            fed(twin, data)
            assert len(twin.cores) == len(twin.vectors) == 5
            moved = np.abs(twin.coef).max() > 1.001 / (0.01 * 60)
            assert moved == (at_cap == "charge")


def test_avm_opens_a_cell_without_a_loss() -> None:
    twin = build(AVM, "regression", losses.epsilon_insensitive(0.5), diameter=1.0, **MARGIN)
    twin.learn(np.zeros(2), 0.1)
    assert len(twin.cores) == 1
    assert twin.coef.tolist() == [[0.0]]
