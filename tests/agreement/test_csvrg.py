"""CSVRG = its literal twin: after every inner step of the first epochs, and after every epoch."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import scipy.sparse

from onkel.compiled.draws import uniform
from onkel.coresets.coverage import cover
from onkel.coresets.variance_reduced import LANE_STOP, KernelRows, draw_rows, epochs
from onkel.learners.csvrg import CSVRGClassifier
from tests.reference import csvrg as twin

LOSSES = ("odm", "squared_hinge", "smooth_hinge", "hinge")
SEED = 5


def make_data(m: int = 60, classes: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(m, 3))
    y = (X @ rng.normal(size=(3, classes))).argmax(axis=1)
    y[:6] = rng.integers(classes, size=6)
    return X, y, rng.uniform(0.3, 2.0, size=m)


def make_problem(
    model: CSVRGClassifier, X: np.ndarray, y: np.ndarray, weights: np.ndarray, seed: int
) -> twin.Problem:
    """The same run for the twin, with the draws of the fast code."""
    plan = model._plan(weights, model.C)
    steps, m = plan.inner_steps, len(X)
    cores, cell = twin.cover(X, model.diameter)
    indices = draw_rows(seed, 0, steps * model.epochs, m).reshape(model.epochs, steps)
    stops = [int(uniform(seed, s, LANE_STOP) * steps) for s in range(model.epochs)]
    return twin.Problem(
        X,
        np.where(y > 0, 1.0, -1.0),
        weights,
        X[cores],
        cell,
        model.loss,
        model.C,
        model.gamma,
        model.theta,
        model.mu,
        model.tau,
        plan.step,
        indices,
        np.array(stops) if model.option == "random" else None,
    )


def fast_snapshots(
    model: CSVRGClassifier,
    X: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    memory_cap: float = 64.0,
) -> list[tuple[np.ndarray, float]]:
    rows = KernelRows(X, cover(X, model.diameter), model.gamma, memory_cap)
    signs = np.where(y > 0, 1.0, -1.0)[None, :]
    return list(
        islice(epochs(rows, signs, weights, model._plan(weights, model.C), SEED), model.epochs)
    )


def seed_of(random_state: int) -> int:
    """The seed that a classifier draws from its random_state."""
    return int(np.random.RandomState(random_state).randint(2**31 - 1))


def test_coverage_is_the_twins() -> None:
    X = np.random.default_rng(0).normal(size=(1500, 2))  # several blocks
    for diameter in (0.0, 0.3, 1.0, 4.0):
        rows = KernelRows(X, cores := cover(X, diameter), 1.0, 64.0)
        expected, cell = twin.cover(X, diameter)
        assert np.array_equal(cores, expected)
        assert np.array_equal(rows.cell, cell)


@pytest.mark.parametrize("option", ["last", "random"])
@pytest.mark.parametrize("diameter", [0.0, 1.5])
@pytest.mark.parametrize("loss", LOSSES)
def test_every_epoch(loss: str, diameter: float, option: str) -> None:
    X, y, weights = make_data()
    model = CSVRGClassifier(
        loss=loss,
        C=8.0,
        gamma=0.4,
        diameter=diameter,
        epochs=4,
        inner_steps=90,
        step=0.02,
        option=option,
    )
    problem = make_problem(model, X, y, weights, SEED)
    expected = twin.final(problem)[1:]
    for (beta, objective), wanted in zip(fast_snapshots(model, X, y, weights), expected):
        np.testing.assert_allclose(beta[0], wanted, rtol=1e-6, atol=1e-9)
        assert objective == pytest.approx(twin.objective(problem, wanted), rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_every_inner_step(loss: str) -> None:
    X, y, weights = make_data(30)
    model = CSVRGClassifier(
        loss=loss, C=30.0, gamma=0.4, diameter=1.0, epochs=1, inner_steps=60, step=0.1
    )
    problem = make_problem(model, X, y, weights, SEED)
    for _, done, wanted in islice(twin.steps(problem), 1, None):
        model.inner_steps = done
        ((beta, _),) = fast_snapshots(model, X, y, weights)
        np.testing.assert_allclose(beta[0], wanted, rtol=1e-6, atol=1e-9)


def test_projection_and_folding_take_part() -> None:
    """A large step leaves the ball again and again, and shrinks `a` below the fold many times."""
    X, y, weights = make_data()
    model = CSVRGClassifier(
        loss="squared_hinge", C=4.0, gamma=0.4, diameter=1.0, epochs=2, inner_steps=400, step=0.3
    )
    problem = make_problem(model, X, y, weights, SEED)
    gram = twin.kernel(problem, problem.cores, problem.cores)
    norms = np.array([np.sqrt(beta @ gram @ beta) for _, _, beta in twin.steps(problem)])
    assert (norms > twin.radius(problem) * (1 - 1e-9)).sum() > 5
    for (beta, _), wanted in zip(fast_snapshots(model, X, y, weights), twin.final(problem)[1:]):
        np.testing.assert_allclose(beta[0], wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("option", ["last", "random"])
def test_rows_made_in_blocks_give_the_same_model(option: str) -> None:
    X, y, weights = make_data()
    model = CSVRGClassifier(
        C=8.0, gamma=0.4, diameter=1.0, epochs=3, inner_steps=130, option=option
    )
    whole = fast_snapshots(model, X, y, weights)
    in_blocks = fast_snapshots(model, X, y, weights, memory_cap=0.005)
    for (a, value_a), (b, value_b) in zip(whole, in_blocks):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-12)
        assert value_a == pytest.approx(value_b, rel=1e-10)


@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_classifier_one_vs_rest(layout: type) -> None:
    """Each output is the twin's binary machine of its class against the rest."""
    X, y, weights = make_data(classes=3)
    model = CSVRGClassifier(
        C=8.0, gamma=0.4, diameter=1.5, epochs=3, inner_steps=90, random_state=1
    )
    model.fit(layout(X), y, weights)
    total = 0.0
    for c in range(3):
        problem = make_problem(model, X, y == c, weights, seed_of(1))
        wanted = twin.final(problem)[-1]
        total += twin.objective(problem, wanted)
        np.testing.assert_allclose(model.dual_coef_[c], wanted, rtol=1e-6, atol=1e-9)
    assert model.objective_[-1] == pytest.approx(total, rel=1e-9)
    scores = twin.kernel(problem, X, problem.cores) @ model.dual_coef_.T
    np.testing.assert_allclose(model.decision_function(layout(X)), scores, rtol=1e-9, atol=1e-9)
