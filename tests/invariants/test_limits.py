"""Learners that become others: below the budget, with tiny cells, with many features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onkel import (
    AVMClassifier,
    AVMRegressor,
    BSGDClassifier,
    FOGDClassifier,
    KernelPerceptronClassifier,
    KernelSGDClassifier,
    KernelSGDRegressor,
    NBSGDClassifier,
    NOGDClassifier,
    OGDClassifier,
    ProjectronClassifier,
)
from tests.invariants.streams import learn, numbers, rbf, scores, three_classes, two_classes

COMMON: dict[str, Any] = {"gamma": 1.0, "random_state": 1}
DECREASING: dict[str, Any] = {**COMMON, "regularization": 0.01, "average": False}
MAINTENANCE = ("removal", "merging", "projection")


@pytest.mark.parametrize(
    ("maintenance", "classes"),
    [*((m, two_classes) for m in MAINTENANCE), ("removal", three_classes)],
)
def test_bsgd_is_sgd_below_its_budget(maintenance: str, classes: Any) -> None:
    X, y = classes(150)
    exact = learn(KernelSGDClassifier(**DECREASING), X, y)
    bounded = learn(BSGDClassifier(budget=150, maintenance=maintenance, **DECREASING), X, y, 33)
    assert exact.n_support_ == bounded.n_support_ > 30
    np.testing.assert_allclose(bounded.dual_coef_, exact.dual_coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(bounded.support_vectors_, exact.support_vectors_, rtol=1e-14)


def test_nbsgd_is_sgd_below_its_budget_and_without_maintenance() -> None:
    X, y = two_classes(300)
    exact = learn(KernelSGDClassifier(**DECREASING), X, y)
    for settings in (
        {"budget": 300, "maintenance_rate": 1e9},
        {"budget": 5, "maintenance_rate": 1e-9},
    ):
        bounded = learn(NBSGDClassifier(maintenance="removal", **settings, **DECREASING), X, y)
        np.testing.assert_allclose(bounded.dual_coef_, exact.dual_coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("cells", ["sphere", "box"])
def test_avm_computes_sgds_function_with_tiny_cells(cells: str) -> None:
    X, y = two_classes(400)
    exact = scores(learn(KernelSGDClassifier(**DECREASING), X, y), X)
    tiny = learn(AVMClassifier(diameter=1e-9, cells=cells, **DECREASING), X, y)
    assert tiny.n_support_ == 400  # without a loss too, with coefficient 0
    np.testing.assert_allclose(scores(tiny, X), exact, rtol=0, atol=1e-9)


def test_avm_approaches_sgd_as_the_cells_shrink() -> None:
    X, y = two_classes(400)
    exact = scores(learn(KernelSGDClassifier(**DECREASING), X, y), X)
    gaps = [
        np.sqrt(
            np.mean((scores(learn(AVMClassifier(diameter=d, **DECREASING), X, y), X) - exact) ** 2)
        )
        for d in (0.8, 0.2, 0.05, 0.01)
    ]
    assert gaps[0] > 2 * gaps[2] > 2 * gaps[3]
    assert gaps[0] > 0.05


def test_avm_of_repeated_rows_is_sgd_whatever_the_loss() -> None:
    """Where core points repeat, the charged term is the exact one: squared loss, ball and all."""
    X, y = numbers(300)
    X = X[np.random.default_rng(0).integers(20, size=300)]
    settings = {**DECREASING, "loss": "l2", "regularization": 0.1}
    exact = learn(KernelSGDRegressor(**settings), X, y)
    cells = learn(AVMRegressor(diameter=1e-6, **settings), X, y)
    assert cells.n_support_ == 20 < exact.n_support_
    np.testing.assert_allclose(scores(cells, X), scores(exact, X), rtol=0, atol=1e-8)


def test_nogd_is_ogd_before_its_budget() -> None:
    X, y = two_classes(200)
    ogd = learn(OGDClassifier(step=0.3, **COMMON), X, y)
    nogd = learn(NOGDClassifier(step=0.3, budget=ogd.n_support_ + 1, average=False, **COMMON), X, y)
    np.testing.assert_allclose(nogd.dual_coef_, ogd.dual_coef_, rtol=1e-12)
    np.testing.assert_allclose(scores(nogd, X), scores(ogd, X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("average", [False, True])
def test_nogd_scores_are_continuous_through_the_switch(average: bool) -> None:
    """With all eigenpairs kept, the linear model starts as the kernel machine that it replaces."""
    X, y = two_classes(200)
    budget = 25
    settings = {"step": 0.3, "average": average, **COMMON}
    ogd = OGDClassifier(**settings)
    for i in range(200):
        ogd.partial_fit(X[i : i + 1], y[i : i + 1], classes=[-1, 1])
        if ogd.n_support_ == budget:
            break
    nogd = NOGDClassifier(budget=budget, rank=budget, **settings)
    learn(nogd, X[: i + 1], y[: i + 1])
    assert type(nogd._machine).__name__ == "NystromMachine"
    # Directions whose eigenvalue is 1e-10 of the largest are cut off: scores move by its root.
    np.testing.assert_allclose(scores(nogd, X), scores(ogd, X), rtol=0, atol=1e-4)
    low = NOGDClassifier(budget=budget, rank=2, **settings)
    learn(low, X[: i + 1], y[: i + 1])
    assert np.abs(scores(low, X) - scores(ogd, X)).max() > 1e-2  # a low rank does change them


def test_projectron_without_tolerance_computes_the_perceptrons_function() -> None:
    X, y = two_classes(400)
    X = np.vstack([X, X[:100]])  # repeated rows lie in the span
    y = np.append(y, -y[:100])
    perceptron = learn(KernelPerceptronClassifier(average=0, **COMMON), X, y)
    projectron = learn(ProjectronClassifier(budget=None, tolerance=0.0, **COMMON), X, y)
    assert projectron.n_support_ < perceptron.n_support_
    assert projectron.progress_.mistakes == perceptron.progress_.mistakes
    # What the relative floor of 1e-10 leaves out of a unit vector is 1e-5, a hundred times or so.
    np.testing.assert_allclose(scores(projectron, X), scores(perceptron, X), rtol=0, atol=1e-3)


def test_fogd_approaches_ogd_like_one_over_the_root_of_its_features() -> None:
    """For a smooth loss: the root mean squared gap over seeds falls by 4 from D to 16 D."""
    X, y = two_classes(150)
    settings = {"loss": "logistic", "step": 0.5, "gamma": 1.0}
    exact = scores(learn(OGDClassifier(**settings), X, y), X)
    gaps = {}
    for features in (16, 256):
        squares = []
        for seed in range(30):
            model = FOGDClassifier(
                n_components=features, average=False, random_state=seed, **settings
            )
            squares.append(np.mean((scores(learn(model, X, y), X) - exact) ** 2))
        gaps[features] = np.sqrt(np.mean(squares))
    # 30 seeds leave the ratio an error of about a tenth; a rate of 1/D would give 16, none 1.
    assert 2.8 < gaps[16] / gaps[256] < 5.6
    assert gaps[256] < 0.2 * np.abs(exact).max()


def test_the_scores_of_a_kernel_machine_are_those_of_its_attributes() -> None:
    """f(x) = sum of dual_coef_ times kernel values, plus intercept_, for what predict uses."""
    X, y = two_classes(200)
    models = (
        KernelSGDClassifier(**{**DECREASING, "average": 0.5}),
        NOGDClassifier(budget=20, rank=10, **COMMON),
        BSGDClassifier(budget=20, maintenance="merging", **DECREASING),
    )
    for model in models:
        learn(model, X, y)
        expected = rbf(X, np.asarray(model.support_vectors_), 1.0) @ model.dual_coef_[0]
        expected += model.intercept_
        np.testing.assert_allclose(scores(model, X), expected, rtol=0, atol=1e-8)
