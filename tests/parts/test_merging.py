"""Merging against brute force over partners and shares, and its shortcuts against real vectors."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from onkel.balls import TargetBall
from onkel.budgets import merging
from onkel.budgets.merge import best_share, cheapest_partner, height
from onkel.compiled.decorators import OPTIONS
from onkel.engine.machine import Machine
from onkel.kernels import Rbf
from onkel.losses import L2
from onkel.model.state import model_pointer, workspace_pointer
from onkel.model.victim import NO_NEWCOMER, smallest
from onkel.rules import DecreasingStep
from onkel.tasks import Residual
from tests.parts.workspaces import LAYOUTS, dense, machine, random_rows

GAMMA, SIZE = 0.5, 12
SHARES = np.linspace(0.0, 1.0, 20_001)


@numba.njit(**OPTIONS)
def share_of(own, other, cross, exponent):
    return best_share(own, other, cross, exponent)


@numba.njit(**OPTIONS)
def partner_of(merge, model, workspace, giver):
    smallest(model, workspace, NO_NEWCOMER)
    return cheapest_partner(merge, model, workspace, giver)


@numba.njit(**OPTIONS)
def height_at(own, other, cross, exponent, h):
    return height(own, other, cross, exponent, h)


def heights(p: np.ndarray, j: np.ndarray, exponent: float, h: np.ndarray = SHARES) -> np.ndarray:
    """|c_z|^2 by the definition."""
    near, far = np.exp(-exponent * (1 - h) ** 2), np.exp(-exponent * h**2)
    z = p[:, None] * near + j[:, None] * far
    return (z**2).sum(axis=0)


def loss_of(p: np.ndarray, j: np.ndarray, exponent: float) -> float:
    """The least degradation over all shares."""
    cross = 2 * float(p @ j) * np.exp(-exponent)
    return float(p @ p + j @ j + cross - heights(p, j, exponent).max())


def state(coef: np.ndarray, points: np.ndarray) -> tuple[Any, Machine, Any]:
    """A machine with these vectors and coefficients."""
    owner = machine("dense", budget=merging(SIZE), kernel=Rbf(GAMMA), outputs=len(coef),
                    n_features=points.shape[1])  # fmt: skip
    n = coef.shape[1]
    model = owner.model
    model.coef[:, :n] = coef
    model.now["n"] = n
    model.born[:n] = np.arange(1, n + 1)
    model.diagonal[:n] = 1.0
    model.distances[:n, :n] = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    return owner.parts.budget, owner, model_pointer(*model)


PAIRS = {
    "equal signs": ([[2.0], [0.7]], 0.8),
    "equal signs, far": ([[2.0], [1.9]], 12.0),
    "negative both": ([[-2.0], [-0.7]], 0.8),
    "opposite signs": ([[2.0], [-0.7]], 0.8),
    "opposite signs, far": ([[0.5], [-0.7]], 9.0),
    "half and half, near": ([[1.0], [1.0]], 0.5),
    "half and half, far: two optima": ([[1.0], [1.0]], 6.0),
    "nearly half": ([[1.0 + 1e-7], [1.0]], 6.0),
    "tiny kappa": ([[1.0], [0.9]], 60.0),
    "kappa that underflows": ([[1.0], [0.9]], 900.0),
    "one is nothing": ([[1.0], [0.0]], 0.8),
    "multi-class": ([[1.0, -1.0, 0.2], [0.6, 0.1, -0.5]], 1.3),
    "multi-class, opposite": ([[1.0, -1.0, 0.0], [-0.6, 0.7, 0.1]], 1.3),
    "multi-class, orthogonal": ([[1.0, -1.0, 0.0], [0.5, 0.5, -1.0]], 2.0),
    "same place": ([[1.0], [2.0]], 0.0),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_best_share_is_the_highest(name: str) -> None:
    coefficients, exponent = PAIRS[name]
    p, j = np.array(coefficients)
    for a, b in ((p, j), (j, p)):
        h = share_of(a @ a, b @ b, a @ b, exponent)
        assert 0.0 <= h <= 1.0
        found = heights(a, b, exponent, np.array([h]))[0]
        assert found >= heights(a, b, exponent).max() * (1 - 1e-12)
        assert height_at(a @ a, b @ b, a @ b, exponent, h) == pytest.approx(found, rel=1e-12)
        if len(p) == 1 and a @ b < 0:
            assert h in (0.0, 1.0)


def test_of_two_equal_optima_the_larger_share_is_taken() -> None:
    h = share_of(1.0, 1.0, 1.0, 6.0)
    assert h > 0.9
    mirrored = heights(np.ones(1), np.ones(1), 6.0, np.array([h, 1 - h]))
    assert mirrored[0] == pytest.approx(mirrored[1], rel=1e-12)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("decades", [0.0, 1.0, 4.0])
def test_the_partner_costs_least(decades: float, outputs: int) -> None:
    """Over coefficients of equal size and of very different sizes, near and far vectors."""
    rng = np.random.default_rng(int(decades) + outputs)
    for _ in range(60):
        n = SIZE + 1
        points = rng.normal(scale=10 ** rng.uniform(-2, 0.7), size=(n, 2))
        coef = rng.choice([-1, 1], size=(outputs, n)) * 10 ** rng.uniform(0, decades, size=n)
        if outputs == 3:
            coef *= rng.normal(size=coef.shape)
        budget, owner, model = state(coef, points)
        giver = int((coef**2).sum(axis=0).argmin())
        partner = partner_of(budget, model, workspace_pointer(*owner.new_workspace(2, True)), giver)
        exponents = GAMMA * owner.model.distances[giver, :n]
        costs = [np.inf if j == giver else loss_of(coef[:, giver], coef[:, j], exponents[j])
                 for j in range(n)]  # fmt: skip
        own = float((coef[:, giver] ** 2).sum())
        assert partner != giver
        # The grid of shares misses the optimum by 1e-9 relatively, in a height of |c_j|^2.
        slack = 1e-9 * float((coef[:, partner] ** 2).sum() + own)
        assert costs[partner] <= min(costs) + slack
        assert min(costs) >= -slack


def test_of_equal_partners_the_oldest() -> None:
    points = np.array([[0.0], [1.0], [-1.0], [5.0]])
    budget, owner, model = state(np.ones((1, 4)), points)
    workspace = workspace_pointer(*owner.new_workspace(2, True))
    owner.model.born[:4] = [4, 3, 2, 1]
    assert partner_of(budget, model, workspace, 0) == 2
    owner.model.born[:4] = [4, 2, 3, 1]
    assert partner_of(budget, model, workspace, 0) == 1


def learned(layout: str, dtype: Any, X: Any, y: np.ndarray, chunk: int) -> Machine:
    owner = machine(layout, dtype, budget=merging(SIZE), kernel=Rbf(GAMMA),
                    rule=DecreasingStep(0.01), average=True, n_features=X.shape[1])  # fmt: skip
    for first in range(0, len(y), chunk):
        part = slice(first, first + chunk)
        owner.learn(X[part], y[part], np.ones(len(y[part])))
    return owner


def gram(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.exp(-GAMMA * ((A[:, None] - B[None]) ** 2).sum(axis=2))


def test_each_maintenance_step_loses_the_least() -> None:
    """Instance by instance, the new function differs from the unmerged one by the least."""
    rng = np.random.default_rng(8)
    X, regularization = rng.normal(size=(150, 2)), 0.01
    y = np.where(rng.random(150) < 0.7, np.sign(X[:, 0] * X[:, 1]), 1.0)
    owner, merges = machine("dense", budget=merging(SIZE), kernel=Rbf(GAMMA), n_features=2,
                            rule=DecreasingStep(regularization)), 0  # fmt: skip
    for t in range(1, len(y) + 1):
        V, c, born = owner.vectors(), owner.dual_coef()[0], owner.model.born[: owner.n].copy()
        x, label = X[t - 1], y[t - 1]
        margin = label * float(c @ gram(V, x[None])[:, 0]) if len(c) else 0.0
        owner.learn(x[None], np.array([label]), np.ones(1))
        if margin >= 1 or len(c) < SIZE:
            continue
        V = np.vstack([V, x])
        c = np.append(c * (1 - 1 / t), label / (regularization * t))
        sizes = c**2
        tied = np.flatnonzero(sizes <= sizes.min() * (1 + 1e-9))
        giver = tied[np.append(born, t)[tied].argmin()]
        exponents = GAMMA * ((V - V[giver]) ** 2).sum(axis=1)
        least = min(loss_of(c[[giver]], c[[j]], exponents[j])
                    for j in range(len(c)) if j != giver)  # fmt: skip
        W, a = np.vstack([V, owner.vectors()]), np.append(c, -owner.dual_coef()[0])
        changed = float(a @ gram(W, W) @ a)
        assert changed == pytest.approx(least, abs=1e-8 * float(sizes.max()))
        merges += 1
    assert merges > 50


@pytest.mark.parametrize("layout", LAYOUTS)
def test_distances_to_merged_vectors_are_those_of_real_vectors(layout: str) -> None:
    """Blocks of many rows use the shortcut many times over; one row a block gets real distances."""
    rng = np.random.default_rng(9)
    X = random_rows(layout, 200, np.float64, seed=9)
    y = rng.choice([-1.0, 1.0], size=200)
    blocks, singles = learned(layout, np.float64, X, y, 200), learned(layout, np.float64, X, y, 1)
    V = dense(blocks.vectors())
    n = blocks.n
    assert n == SIZE
    known = {row.tobytes() for row in dense(X)}
    assert sum(v.tobytes() not in known for v in V) > SIZE // 3  # some are mixtures
    real = ((V[:, None] - V[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(blocks.model.distances[:n, :n], real, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(V, dense(singles.vectors()), rtol=0, atol=1e-11)
    np.testing.assert_allclose(blocks.dual_coef(), singles.dual_coef(), rtol=1e-9, atol=1e-10)
    scores = blocks.scores(X)[:, 0]
    np.testing.assert_allclose(scores, gram(dense(X), V) @ blocks.dual_coef()[0], atol=1e-10)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_merging_two_equal_vectors_loses_nothing(layout: str) -> None:
    """One row comes again and again, beside others of a hundred times its weight: the smallest
    vector is always one of its copies, and the best partner another."""
    rng = np.random.default_rng(10)
    heavy, copies = SIZE - 2, 80
    X = random_rows(layout, heavy + 1, np.float64, seed=10)[[*range(heavy), *[heavy] * copies]]
    y = rng.choice([-1.0, 1.0], size=heavy + copies)
    weights = np.append(np.full(heavy, 100.0), np.ones(copies))
    settings = {"kernel": Rbf(GAMMA), "rule": DecreasingStep(100.0), "average": 0.5}
    bounded = machine(layout, budget=merging(SIZE), **settings)
    free = machine(layout, **settings)
    for owner in (bounded, free):
        owner.learn(X, y, weights)
    assert bounded.n == SIZE and free.n == heavy + copies
    np.testing.assert_allclose(bounded.scores(X), free.scores(X), rtol=1e-12, atol=1e-12)
    last = [
        gram(dense(X), dense(o.vectors())) @ o.model.coef[0, : o.n] * o.model.now[0]["scale"]
        for o in (bounded, free)
    ]
    np.testing.assert_allclose(*last, rtol=1e-12, atol=1e-12)
    assert np.abs(last[0]).max() > 1e-3


def test_the_norm_that_is_tracked_is_that_of_the_weights() -> None:
    """With the squared loss the ball needs it: through mergers, shrinks and projections."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(300, 2))
    y = 2 * np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=300)
    owner = machine("dense", budget=merging(SIZE), kernel=Rbf(GAMMA), n_features=2,
                    loss=L2(), rule=DecreasingStep(0.1), ball=TargetBall(0.1))  # fmt: skip
    owner.parts = owner.parts._replace(task=Residual())
    touched = 0
    for i in range(300):
        owner.learn(X[i : i + 1], y[i : i + 1], np.ones(1))
        V, c = owner.vectors(), owner.dual_coef()[0]
        norm = float(c @ gram(V, V) @ c)
        assert owner.model.now[0]["squared_norm"] == pytest.approx(norm, rel=1e-7, abs=1e-9)
        radius = np.abs(y[: i + 1]).max() / np.sqrt(0.1)
        assert norm <= radius**2 * (1 + 1e-7)
        touched += norm > 0.999 * radius**2
        np.testing.assert_allclose(
            owner.model.gram[: owner.n, : owner.n], gram(V, V), rtol=0, atol=1e-10
        )
    assert touched > 3 and owner.n == SIZE
