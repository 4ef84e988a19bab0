"""Projections: what is left over is orthogonal to the span, and duplicates do no harm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onkel.balls import TargetBall
from onkel.budgets import ProjectNewest, ProjectSmallest, ProjectSmallestNearby
from onkel.engine.machine import Machine
from onkel.kernels import Rbf
from onkel.learners.bsgd import JITTER
from onkel.losses import L2
from onkel.rules import DecreasingStep, OnMistake
from onkel.tasks import Residual
from tests.parts.workspaces import machine

GAMMA, SIZE, REGULARIZATION, NEIGHBORS = 0.5, 12, 0.01, 4
KEPT_JITTER = JITTER[np.dtype(float)]
BUDGETS = {
    "exact": ProjectSmallest(SIZE, KEPT_JITTER),
    "nearby": ProjectSmallestNearby(SIZE, NEIGHBORS, KEPT_JITTER),
}


def gram(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.exp(-GAMMA * ((A[:, None] - B[None]) ** 2).sum(axis=2))


def make(budget: Any, **recipe: Any) -> Machine:
    settings = {"rule": DecreasingStep(REGULARIZATION), **recipe}
    return machine("dense", budget=budget, kernel=Rbf(GAMMA), n_features=2, **settings)


def stream(rows: int, close: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Rows spread in a square, or copies of nine places up to ``close``; labels with noise."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-4, 4, size=(rows, 2))
    if close is not None:
        X = X[rng.integers(9, size=rows)] + close * rng.normal(size=(rows, 2))
    y = np.sign(X[:, 0] * X[:, 1])
    return X, np.where(rng.random(rows) < 0.2, -y, y)


def snapshots(owner: Machine, X: np.ndarray, y: np.ndarray) -> Any:
    """Where an instance made a vector leave: vectors and coefficients before and after."""
    for t in range(1, len(y) + 1):
        V, c, x, label = owner.vectors(), owner.dual_coef()[0], X[t - 1], y[t - 1]
        margin = label * float(c @ gram(V, x[None])[:, 0]) if len(c) else 0.0
        owner.learn(x[None], np.array([label]), np.ones(1))
        if margin < 1 and len(c) == SIZE:
            before = np.vstack([V, x]), np.append(c * (1 - 1 / t), label / (REGULARIZATION * t))
            yield *before, owner.vectors(), owner.dual_coef()[0]


@pytest.mark.parametrize("name", BUDGETS)
def test_what_is_left_over_is_orthogonal_to_the_span(name: str) -> None:
    steps, owner = 0, make(BUDGETS[name])
    for V, c, W, a in snapshots(owner, *stream(200)):
        K = gram(V, V)
        stays = np.array([(v == W).all(axis=1).any() for v in V])
        gone = np.flatnonzero(~stays)
        assert len(gone) == 1 and len(W) == SIZE
        assert c[gone[0]] ** 2 <= (c**2).min() * (1 + 1e-9)
        leftover = (K @ c)[stays] - gram(V[stays], W) @ a  # <w - w', k(v, .)> for all that stay
        span = np.argsort(-K[gone[0]][stays])[: SIZE if name == "exact" else NEIGHBORS]
        # The jitter leaves a part jitter * |d| of it, and conditions here are some thousands.
        assert np.abs(leftover[span]).max() < 1e-2 * abs(c[gone[0]]) * max(KEPT_JITTER * 1e4, 1e-5)
        if name == "nearby":
            others = np.setdiff1d(np.arange(SIZE), span)
            moved = np.array([a[(v == W).all(axis=1)][0] for v in V[stays]]) - c[stays]
            assert np.abs(moved[others]).max() < 1e-12 * np.abs(c).max()
            assert np.abs(leftover[others]).max() > 0
        steps += 1
    assert steps > 80


@pytest.mark.parametrize("close", [0.0, 1e-8, 1e-4, 1e-2, 0.1])
@pytest.mark.parametrize("name", BUDGETS)
def test_duplicates_do_not_blow_up(name: str, close: float) -> None:
    """Projecting on more never increases the norm: the model stays inside SGD's 1/lambda ball."""
    X, y = stream(1200, close)
    owner = make(BUDGETS[name])
    for first in range(0, len(y), 40):
        owner.learn(X[first : first + 40], y[first : first + 40], np.ones(40))
        scores = owner.scores(X)[:, 0]
        assert np.isfinite(scores).all()
        assert np.abs(scores).max() < 1 / REGULARIZATION
    assert owner.n == SIZE
    # Nine places and twelve vectors: hardly anything is lost, so the places are learned.
    majority = np.array([np.sign(y[((X - x) ** 2).sum(axis=1) < 0.5].sum()) for x in X])
    if close <= 1e-2:
        assert (np.sign(owner.scores(X)[:, 0]) == majority).mean() > 0.85


@pytest.mark.parametrize("name", BUDGETS)
def test_copies_are_handed_on_without_loss(name: str) -> None:
    """One row comes again and again beside heavier ones: one of its copies is the smallest."""
    heavy, copies = SIZE - 2, 80
    X, y = stream(heavy + copies)
    X[heavy:] = X[heavy]
    weights = np.append(np.full(heavy, 100.0), np.ones(copies))
    bounded, free = (
        make(BUDGETS[name], rule=DecreasingStep(100.0)),
        make(None, rule=DecreasingStep(100.0)),
    )
    for owner in (bounded, free):
        owner.learn(X, y, weights)
    assert bounded.n == SIZE and free.n == heavy + copies
    np.testing.assert_allclose(bounded.scores(X), free.scores(X), rtol=0, atol=1e-5)
    assert np.abs(free.scores(X)).max() > 0.01


@pytest.mark.parametrize("name", BUDGETS)
def test_the_norm_that_is_tracked_is_that_of_the_weights(name: str) -> None:
    X, _ = stream(250)
    y = 2 * np.sin(X[:, 0]) + np.cos(2 * X[:, 1])
    owner = make(BUDGETS[name], loss=L2(), rule=DecreasingStep(0.1), ball=TargetBall(0.1))
    owner.parts = owner.parts._replace(task=Residual())
    for i in range(250):
        owner.learn(X[i : i + 1], y[i : i + 1], np.ones(1))
        V, c = owner.vectors(), owner.dual_coef()[0]
        norm = float(c @ gram(V, V) @ c)
        assert owner.model.now[0]["squared_norm"] == pytest.approx(norm, rel=1e-4, abs=1e-6)


def test_projectron_projects_orthogonally() -> None:
    """On a mistake with a full budget, y times the projection of k(x, .) is added."""
    X, y = stream(400)
    owner = make(ProjectNewest(SIZE, 0.0, 0.0, 1e-10), rule=OnMistake())
    projected = 0
    for i in range(len(y)):
        V, c = owner.vectors(), owner.dual_coef()[0]
        full = len(c) == SIZE
        margin = y[i] * float(c @ gram(V, X[i : i + 1])[:, 0]) if len(c) else 0.0
        owner.learn(X[i : i + 1], y[i : i + 1], np.ones(1))
        a = owner.dual_coef()[0]
        if not full:
            continue
        np.testing.assert_array_equal(owner.vectors(), V)
        if margin > 0:
            np.testing.assert_array_equal(a, c)
            continue
        K = gram(V, V)
        leftover = y[i] * gram(V, X[i : i + 1])[:, 0] - K @ (a - c)
        assert np.abs(leftover).max() < 1e-9
        projected += 1
    assert projected > 50


def test_projectron_keeps_copies_out() -> None:
    X, y = stream(400, 0.0)
    owner = make(ProjectNewest(0, 0.0, 0.0, 1e-10), rule=OnMistake())
    owner.learn(X, y, np.ones(400))
    assert owner.n <= 9
    assert np.isfinite(owner.scores(X)).all()
