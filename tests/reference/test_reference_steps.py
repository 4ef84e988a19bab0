"""Sanity of the other twins: perceptrons, constant steps, passive-aggressive, sampling, maps."""

import numpy as np
import pytest

from tests.reference import losses
from tests.reference.base import Array
from tests.reference.cases import (
    OUTPUTS,
    TASKS,
    U,
    build,
    curve,
    fed,
    overlapping,
    rbf,
    same_curve,
    stream,
)
from tests.reference.functional import FOGD, NOGD
from tests.reference.online_gradient import BOGD, NORMA, OGD
from tests.reference.passive_aggressive import BPAS, PassiveAggressive
from tests.reference.perceptrons import RBP, Forgetron, Perceptron, Projectron, ProjectronPlusPlus
from tests.reference.sampled import OSKL, SPA, SPAOneClass

# ---- perceptrons ------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_projectron_without_tolerance_is_the_perceptron(task: str) -> None:
    X, targets, draws = overlapping(task, 20)
    data = (np.tile(X, (4, 1)), np.tile(targets, 4), np.tile(draws, (4, 1)))
    options = {"step": 0.1, "dead_zone": 0.1}
    projectron, perceptron = build(Projectron, task, **options), build(Perceptron, task, **options)
    probe = stream(task, 8, seed=9)[0]
    expected = curve(perceptron, data, probe)
    np.testing.assert_allclose(curve(projectron, data, probe), expected, rtol=0, atol=1e-4)
    assert len(projectron.vectors) < len(perceptron.vectors)


def test_projectron_tolerance_saves_vectors() -> None:
    sizes = []
    for tolerance in (0.0, 0.3, 0.9):
        twin = build(Projectron, "regression", tolerance=tolerance, step=0.1, dead_zone=0.1)
        sizes.append(len(fed(twin, stream("regression", 100)).vectors))
    assert sizes[0] > sizes[1] > sizes[2] >= 1


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_projectron_plus_plus_reduces_margin_errors(task: str) -> None:
    twin = build(ProjectronPlusPlus, task, tolerance=0.5)
    changed = 0
    for x, target, _ in zip(*overlapping(task, 120), strict=True):
        seen = twin.look(twin.scores(x), target)
        size, before = len(twin.vectors), twin.coef
        twin.learn(x, target)
        if seen.mistake or np.array_equal(before, twin.coef):
            continue
        changed += 1
        assert len(twin.vectors) == size and seen.value > 0.0
        # tau y P adds tau ||P||^2 to the margin; U = 1 / tolerance = 2
        row = np.array([rbf(x, v) for v in twin.vectors])
        gram = np.array([[rbf(u, v) for v in twin.vectors] for u in twin.vectors])
        sides, kept = len(seen.direction.nonzero()[0]), float(row @ np.linalg.solve(gram, row))
        excess = seen.value - 2.0 * np.sqrt(sides * max(1.0 - kept, 0.0))
        gain = float(seen.direction @ twin.scores(x)) - seen.scalar
        assert gain == pytest.approx(min(seen.value, 2.0 * excess, sides * kept), abs=1e-9)
    assert changed > 3


@pytest.mark.parametrize("task", TASKS)
def test_forgetron_shrinks_by_factors_up_to_one(task: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 2))
    label = rng.integers(0, 3, 300)
    targets = {"binary": 2.0 * (label > 0) - 1.0, "multiclass": label * 1.0}.get(task, X[:, 0])
    twin = build(Forgetron, task, budget=5, step=0.1, dead_zone=0.1)
    fed(twin, (X, targets, rng.random((300, 2))))
    phis = np.array(twin.phis)
    assert len(phis) > 50 and (phis > 0.0).all() and (phis <= 1.0).all()
    assert task == "regression" or (phis < 1.0).any()
    assert twin.damage <= 15.0 / 32.0 * twin.mistakes * (1.0 + 1e-12)
    assert max(twin.born) - min(twin.born) < 300 and sorted(twin.born)[0] > 100


def test_rbp_replaces_the_drawn_slot() -> None:
    twin = build(RBP, "binary", budget=3)
    for i, u in enumerate((0.0, 0.0, 0.0, 0.5, 0.99)):
        twin.learn(np.array([100.0 * i, 0.0]), 1.0, (0.0, u))
    assert twin.born == [1, 4, 5]


# ---- constant steps ---------------------------------------------------------------------------


def test_weight_multiplies_the_step_but_not_the_shrinking() -> None:
    twin, double = (build(OGD, "binary", step=s, regularization=0.1 / s) for s in (0.2, 0.4))
    for x, target, _ in zip(*stream("binary", 20), strict=True):
        twin.learn(x, target, weight=2.0)
        double.learn(x, target)
    np.testing.assert_allclose(twin.coef, double.coef, rtol=1e-12)


def test_bogd_rescales_after_a_drop_only() -> None:
    twin = build(BOGD, "binary", step=0.5, budget=3, regularization=0.1)
    for i in range(3):
        twin.learn(np.array([10.0 * i, 0.0]), 1.0)
    np.testing.assert_allclose(twin.coef, [[0.5 * 0.95**2, 0.5 * 0.95, 0.5]])
    twin.learn(np.array([30.0, 0.0]), 1.0, (0.0, 0.4))
    np.testing.assert_allclose(twin.coef, [[0.5 * 0.95**3 * 1.5, 0.5, 0.5 * 0.95 * 1.5]])
    assert twin.born == [1, 4, 3]
    twin.slots[0].value[0] = 1e3
    twin.learn(np.array([40.0, 0.0]), 1.0, (0.0, 0.4))
    assert np.abs(twin.coef).max() == pytest.approx(5.0)


@pytest.mark.parametrize("task", TASKS)
def test_norma_leaves_a_share_nu_outside(task: str) -> None:
    twin = build(NORMA, task, step=0.05, nu=0.3)
    fed(twin, stream(task, 400))
    assert len(twin.vectors) / 400 == pytest.approx(0.3, abs=0.12)
    assert twin.rho >= 0.0 and twin.epsilon >= 0.0


@pytest.mark.parametrize("task", TASKS)
def test_passive_aggressive_step_removes_the_loss(task: str) -> None:
    loss = losses.epsilon_insensitive(0.1) if task == "regression" else None
    twin = build(PassiveAggressive, task, loss, aggressiveness=1e9)
    for x, target, _ in zip(*stream(task, 30), strict=True):
        before = twin.look(twin.scores(x), target)
        twin.learn(x, target)
        after = twin.look(twin.scores(x), target)
        if task != "multiclass":  # there a third class may have become the rival
            assert after.value == 0.0
        else:
            assert before.direction @ twin.scores(x) >= 1.0 - 1e-12


@pytest.mark.parametrize("task", TASKS)
def test_bpas_takes_the_cheapest_replacement(task: str) -> None:
    """Against the paper's optimisation: for every r, change of w plus C times the loss."""
    loss = losses.epsilon_insensitive(0.1) if task == "regression" else losses.hinge()
    twin = build(BPAS, task, loss, aggressiveness=0.7, budget=4)
    compared = 0
    for x, target, _ in zip(*stream(task, 40), strict=True):
        old, seen = list(twin.slots), twin.look(twin.scores(x), target)
        twin.learn(x, target)
        if len(old) < 4 or seen.value == 0.0:
            continue
        compared += 1
        gone = next(i for i in range(4) if twin.slots[i] is not old[i])
        step = twin.slots[gone].value - old[gone].value * rbf(old[gone].vector, x)
        prices = []
        for term in old:
            value = step + term.value * rbf(term.vector, x)
            change = value @ value + term.value @ term.value
            prices.append(change - 2.0 * rbf(term.vector, x) * float(value @ term.value))
        assert gone == int(np.argmin(prices))
        # and no other coefficient of x does better for this r
        best = np.inf
        for wiggle in (-0.01, 0.01, 0.0):
            moved = twin.slots[gone].value + wiggle * seen.towards
            rest = old[gone].value
            change = moved @ moved + rest @ rest
            change -= 2.0 * rbf(old[gone].vector, x) * float(moved @ rest)
            margin = twin.scores(x) + wiggle * seen.towards
            scalar = seen.direction @ margin - (target if task == "regression" else 0.0)
            price = 0.5 * change + 0.7 * loss[0](float(scalar))
            assert wiggle != 0.0 or price <= best + 1e-12
            best = min(best, float(price))
    assert compared > 3


@pytest.mark.parametrize("task", TASKS)
def test_bpas_of_copies_loses_nothing(task: str) -> None:
    X, targets, _ = stream(task, 20)
    loss = losses.epsilon_insensitive(0.1) if task == "regression" else losses.hinge()
    options = {"aggressiveness": 0.3, "average": True}
    bounded, free = (build(BPAS, task, loss, budget=n, **options) for n in (2, 100))
    for i, target in enumerate(targets):
        for twin in (bounded, free):
            # weights that differ, as equal steps would leave the rival class to rounding
            twin.learn(np.array([0.3, -0.4]), target, weight=1.0 + 0.01 * i)
    assert len(bounded.vectors) == 2 < len(free.vectors)
    for p in X[:5]:
        np.testing.assert_allclose(bounded.scores(p), free.scores(p), atol=1e-10)
        np.testing.assert_allclose(bounded.output(p), free.output(p), atol=1e-10)


# ---- sampling ---------------------------------------------------------------------------------


def test_oskl_is_unbiased() -> None:
    for bound in (0.1, 0.5, 3.0):
        sampled = build(OSKL, "binary", losses.logistic(), step=0.3, slope_bound=bound)
        plain = build(OGD, "binary", losses.logistic(), step=0.3)
        for twin in (sampled, plain):
            twin.learn(np.zeros(2), 1.0, (0.0, 0.0))
        chance = min(1.0, 0.5 / bound)
        assert chance * sampled.coef[0, 0] == pytest.approx(plain.coef[0, 0])


def test_spa_samples_as_often_as_it_says() -> None:
    X, targets, draws = stream("binary", 400)
    twin = build(SPA, "binary", step=0.1, alpha=0.8, beta=4.0)
    expected = 0.0
    for x, target, draw in zip(X, targets, draws, strict=True):
        expected += min(0.8, max(0.0, 1.0 - target * twin.scores(x)[0])) / 4.0
        twin.learn(x, target, draw)
    assert 0.5 * expected < len(twin.vectors) < 1.5 * expected
    assert expected <= 0.8 * 400 / 4.0


def test_spa_that_always_samples_with_a_long_step_is_passive_aggressive() -> None:
    X, targets, _ = stream("multiclass")
    data = (X, targets, np.zeros((len(X), 2)))
    spa = build(SPA, "multiclass", step=1e6, alpha=1.0, beta=1.0, average=False)
    same_curve(spa, build(PassiveAggressive, "multiclass", aggressiveness=1e6), "multiclass", data)


def test_one_class_offset_is_a_quantile() -> None:
    twin = SPAOneClass(rbf, losses.hinge(), step=0.5, alpha=1.0, beta=2.0, contamination=0.1)
    for x, _, draw in zip(*stream("binary"), strict=True):
        twin.learn(x, draws=draw)
    scores = np.array([shown[0] for shown, _, _ in twin.record])
    assert 0.05 <= np.mean(scores <= twin.offset) <= 0.15
    assert twin.output(np.array([1.0, 0.0]))[0] > twin.output(np.array([9.0, 9.0]))[0]


# ---- explicit maps ----------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_fogd_is_ogd_with_the_kernel_of_its_features(task: str) -> None:
    fogd = build(FOGD, task, directions=U, step=0.3, regularization=0.1)

    def approximate(x: Array, v: Array) -> float:
        return float(fogd.features(x) @ fogd.features(v))

    assert approximate(np.ones(2), np.ones(2)) == pytest.approx(1.0)
    ogd = OGD(task, OUTPUTS[task], approximate, fogd.loss, step=0.3, regularization=0.1)
    same_curve(fogd, ogd, task)


@pytest.mark.parametrize("task", TASKS)
def test_nogd_is_ogd_before_its_budget(task: str) -> None:
    nogd, ogd = build(NOGD, task, budget=61, step=0.3), build(OGD, task, step=0.3)
    same_curve(nogd, ogd, task)
    assert nogd.weights is None


@pytest.mark.parametrize("task", TASKS)
def test_switch_of_full_rank_changes_no_function(task: str) -> None:
    nogd = build(NOGD, task, budget=8, n_components=8, step=0.3, average=True)
    ogd = build(OGD, task, step=0.3, average=True)
    probe = stream(task, 8, seed=9)[0]
    for x, target, _ in zip(*stream(task), strict=True):
        for twin in (nogd, ogd):
            twin.learn(x, target)
        if nogd.weights is not None:
            break
    assert len(nogd.vectors) == 8
    for p in probe:
        np.testing.assert_allclose(nogd.scores(p), ogd.scores(p), atol=1e-7)
        np.testing.assert_allclose(nogd.output(p), ogd.output(p), atol=1e-7)
        np.testing.assert_allclose(nogd.coef @ [rbf(p, v) for v in nogd.vectors], nogd.scores(p))


@pytest.mark.parametrize("task", TASKS)
def test_nogd_goes_on_in_the_projected_space(task: str) -> None:
    nogd = build(NOGD, task, budget=8, n_components=3, step=0.3)
    X, targets, _ = stream(task)
    for x, target in zip(X, targets, strict=True):
        before, seen = nogd.weights, nogd.look(nogd.scores(x), target)
        scores = np.array([nogd.scores(p) for p in X[:9]])
        nogd.learn(x, target)
        if before is None:
            continue
        z = nogd.features(x)
        step = np.array(
            [-0.3 * seen.slope * seen.direction * (z @ nogd.features(p)) for p in X[:9]]
        )
        np.testing.assert_allclose([nogd.scores(p) for p in X[:9]], scores + step, atol=1e-10)
    assert nogd.weights is not None and nogd.weights.value.shape == (OUTPUTS[task], 3)
    assert nogd.coef.shape == (OUTPUTS[task], 8)
