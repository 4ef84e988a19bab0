"""The squared norm of the weights, followed through all that budgets do, is that of the weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import onkel.budgets
from onkel import FOGDRegressor, NOGDRegressor
from onkel.balls import PegasosBall, TargetBall, WholeSpace
from onkel.budgets import (
    Boxes,
    DropOldest,
    DropRandom,
    DropRandomUnbiased,
    DropSmallest,
    Forget,
    ProjectNewest,
    ProjectSmallest,
    ProjectSmallestNearby,
    Replace,
    Sometimes,
    Spheres,
    Unbounded,
    merging,
)
from onkel.engine.machine import Machine
from onkel.kernels import Rbf
from onkel.losses import L2, Hinge
from onkel.model.slots import append, move_last
from onkel.model.victim import oldest
from onkel.rules import DecreasingStep
from onkel.tasks import Residual
from tests.parts.workspaces import machine

GAMMA, SIZE, ROWS = 0.5, 12, 150
#: A ball small enough for the weights to run into it.
TIGHT = 0.6
BUDGETS: dict[str, Any] = {
    "Boxes": Boxes(0.5, 0, False, 2.0, 0.5),
    "DropOldest": DropOldest(SIZE),
    "DropRandom": DropRandom(SIZE),
    "DropRandomUnbiased": DropRandomUnbiased(SIZE, 2.0),
    "DropSmallest": DropSmallest(SIZE),
    "Forget": Forget(SIZE),
    "Merge": merging(SIZE),
    "ProjectNewest": ProjectNewest(SIZE, 0.1, -1.0, 1e-10),
    "ProjectSmallest": ProjectSmallest(SIZE, 1e-8),
    "ProjectSmallestNearby": ProjectSmallestNearby(SIZE, 4, 1e-8),
    "Replace": Replace(SIZE),
    "Sometimes": Sometimes(ProjectSmallest(SIZE, 1e-8), 40.0),
    "Spheres": Spheres(0.5, 9, False, 2.0, 0.5),
    "Unbounded": Unbounded(),
}


def test_no_budget_is_left_out() -> None:
    """Explicit has no vectors: it is tested with its machines, below."""
    assert set(BUDGETS) | {"Explicit", "merging"} == set(onkel.budgets.__all__)


def gram(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.exp(-GAMMA * ((A[:, None] - B[None]) ** 2).sum(axis=2))


def stream(outputs: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(ROWS, 2))
    wave = 2 * np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=ROWS)
    if outputs == 1:
        return X, wave
    return X, np.digitize(wave, [-1.0, 1.0]).astype(float)


def learner(name: str, outputs: int) -> Machine:
    """A learner with a ball, of numbers by the squared loss, of classes by the hinge."""
    parts: dict[str, Any] = {
        "loss": Hinge(),
        "rule": DecreasingStep(0.1),
        "ball": PegasosBall(TIGHT),
    }
    if outputs == 1:
        parts = {"loss": L2(), "rule": DecreasingStep(0.1), "ball": TargetBall(TIGHT)}
    owner = machine(
        "dense", budget=BUDGETS[name], kernel=Rbf(GAMMA), outputs=outputs, n_features=2, **parts,
    )  # fmt: skip
    if outputs == 1:
        owner.parts = owner.parts._replace(task=Residual())
    return owner


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("name", BUDGETS)
def test_the_norm_that_is_followed_is_that_of_the_weights(name: str, outputs: int) -> None:
    X, y = stream(outputs)
    owner, touched = learner(name, outputs), 0
    for i in range(ROWS):
        owner.learn(X[i : i + 1], y[i : i + 1], np.ones(1))
        V, C = owner.vectors(), owner.dual_coef()
        norm = float(np.sum((C @ gram(V, V)) * C))
        followed = owner.model.now[0]["squared_norm"]
        assert followed == pytest.approx(norm, rel=1e-7, abs=1e-9)
        radius = np.abs(y[: i + 1]).max() / np.sqrt(TIGHT) if outputs == 1 else 1 / np.sqrt(TIGHT)
        assert norm <= radius**2 * (1 + 1e-7)
        touched += norm > 0.999 * radius**2
    assert touched > 3, "the ball never mattered"
    assert owner.n >= (9 if name in ("Boxes", "Spheres") else SIZE)


@pytest.mark.parametrize("name", BUDGETS)
def test_the_trace_has_the_scores_before_each_update(name: str) -> None:
    """Whatever a budget writes into the workspace on the way."""
    X, y = stream(1)
    whole, single = learner(name, 1), learner(name, 1)
    trace, scores = np.full((ROWS, 1), np.nan), np.empty(ROWS)
    whole.learn(X, y, np.ones(ROWS), trace)
    for i in range(ROWS):
        scores[i] = single.scores(X[i : i + 1])[0, 0]
        single.learn(X[i : i + 1], y[i : i + 1], np.ones(1))
    np.testing.assert_allclose(trace[:, 0], scores, rtol=0, atol=1e-6)


class FourierInBall(FOGDRegressor):
    def compose(self, look):
        return super().compose(look)._replace(ball=TargetBall(TIGHT))


class NystromInBall(NOGDRegressor):
    def compose(self, look):
        return super().compose(look)._replace(ball=TargetBall(TIGHT))


@pytest.mark.parametrize(
    "model",
    [
        FourierInBall(n_components=20, step=1.0, average=False, gamma=GAMMA, random_state=0),
        NystromInBall(budget=30, rank=10, step=1.0, average=False, gamma=GAMMA, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_explicit_features_follow_the_norm_too(model: Any) -> None:
    X, y = stream(1)
    explicit = 0
    for i in range(ROWS):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        owner = model._fitted()
        if owner.recipe.n_map_features:
            norm = float(np.square(owner.last_coef()).sum())
            assert owner.model.now[0]["squared_norm"] == pytest.approx(norm, rel=1e-7, abs=1e-9)
            explicit += 1
    assert explicit > 50


class DoesNotFollow(NamedTuple):
    """Doubles a coefficient, and says that the norm stays behind."""

    @property
    def keeps_for_norm(self) -> None:
        return None

    def absorb(self, model, workspace, instance, step):
        if step.take:
            append(model, workspace, instance, step.amount)
            model.coef[0, 0] *= 2.0


@pytest.mark.parametrize("budget", [DoesNotFollow(), Sometimes(DoesNotFollow(), 3.0)])
def test_a_budget_that_does_not_follow_the_norm_is_refused_with_a_ball(budget: Any) -> None:
    machine("dense", budget=budget, kernel=Rbf(1.0), ball=WholeSpace())
    with pytest.raises(
        ValueError, match=r"budget=\w+ .*does not follow the norm.*ball=PegasosBall"
    ):
        machine("dense", budget=budget, kernel=Rbf(1.0), ball=PegasosBall(0.1))


class Remembers(NamedTuple):
    """Drops the oldest by moving the last one into its slot; each slot remembers when it came."""

    size: int

    def absorb(self, model, workspace, instance, step):
        append(model, workspace, instance, step.amount)
        model.slot_memory[model.now[0].n - 1] = instance.t
        if model.now[0].n > self.size:
            move_last(model, workspace, instance, oldest(model))


def test_what_a_budget_remembers_of_a_slot_moves_with_it() -> None:
    owner = machine("dense", budget=Remembers(5), kernel=Rbf(1.0), n_features=2)
    X, _ = stream(1)
    for i in range(20):
        owner.learn(X[i : i + 1], np.ones(1), np.ones(1))
        np.testing.assert_array_equal(
            owner.model.slot_memory[: owner.n], owner.model.born[: owner.n]
        )
    assert owner.n == 5
