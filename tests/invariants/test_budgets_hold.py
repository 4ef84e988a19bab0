"""Fixed budgets hold after every instance, and are used; NBSGD's grows, slowly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from onkel import (
    AVMClassifier,
    BOGDClassifier,
    BOGDRegressor,
    BPASClassifier,
    BSGDClassifier,
    BSGDRegressor,
    ForgetronClassifier,
    ForgetronRegressor,
    KernelSGDClassifier,
    NBSGDClassifier,
    NOGDClassifier,
    NORMAClassifier,
    ProjectronClassifier,
    ProjectronPPClassifier,
    ProjectronRegressor,
    RBPClassifier,
    RBPRegressor,
)
from tests.invariants.streams import learn, numbers, three_classes, two_classes

BUDGET, ROWS = 15, 220
COMMON = {"gamma": 1.0, "random_state": 3}
BOUNDED: dict[str, Any] = {
    "bsgd_merging": BSGDClassifier(maintenance="merging", **COMMON),
    "bsgd_removal": BSGDClassifier(maintenance="removal", **COMMON),
    "bsgd_projection": BSGDClassifier(maintenance="projection", neighbors=None, **COMMON),
    "bsgd_projection_nearby": BSGDClassifier(maintenance="projection", **COMMON),
    "bogd": BOGDClassifier(**COMMON),
    "bpas": BPASClassifier(**COMMON),
    "forgetron": ForgetronClassifier(**COMMON),
    "rbp": RBPClassifier(**COMMON),
    "projectron": ProjectronClassifier(tolerance=0.0, **COMMON),
    "projectron_pp": ProjectronPPClassifier(tolerance=0.0, **COMMON),
    "norma": NORMAClassifier(**COMMON),
    "nogd": NOGDClassifier(rank=5, **COMMON),
}
REGRESSORS: dict[str, Any] = {
    "bsgd": BSGDRegressor(maintenance="removal", **COMMON),
    "bogd": BOGDRegressor(step=0.1, **COMMON),
    "forgetron": ForgetronRegressor(**COMMON),
    "rbp": RBPRegressor(**COMMON),
    "projectron": ProjectronRegressor(tolerance=0.0, **COMMON),
}


def regularized(model: Any) -> Any:
    model = clone(model)
    if "regularization" in model.get_params() and isinstance(
        model, (BSGDClassifier, BSGDRegressor)
    ):
        model.set_params(regularization=0.01)
    return model.set_params(budget=BUDGET)


def sizes(model: Any, X: np.ndarray, y: np.ndarray) -> list[int]:
    """The number of support vectors after each instance."""
    found = []
    first = {"classes": np.unique(y)} if hasattr(model, "decision_function") else {}
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], **first)
        found.append(model.n_support_)
        assert model.dual_coef_.shape[1] == model.support_vectors_.shape[0] == found[-1]
        assert np.isfinite(model.dual_coef_).all()
    return found


@pytest.mark.parametrize("name", BOUNDED)
def test_classifiers(name: str) -> None:
    found = sizes(regularized(BOUNDED[name]), *two_classes(ROWS, flipped=0.2))
    assert max(found) == BUDGET
    assert max(np.diff(found)) == 1 and min(np.diff(found)) == 0


@pytest.mark.parametrize("name", ["bsgd_removal", "forgetron", "bpas"])
def test_classifiers_of_three_classes(name: str) -> None:
    assert max(sizes(regularized(BOUNDED[name]), *three_classes(ROWS))) == BUDGET


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name: str) -> None:
    assert max(sizes(regularized(REGRESSORS[name]), *numbers(ROWS))) == BUDGET


def test_blocks_of_many_rows_do_not_exceed_the_budget_either() -> None:
    X, y = two_classes(3000, flipped=0.2)
    for name in ("bsgd_merging", "rbp", "forgetron"):
        model = learn(regularized(BOUNDED[name]), X, y)
        assert model.n_support_ == BUDGET


def test_a_cap_on_core_points_holds() -> None:
    X, y = two_classes(ROWS)
    for at_cap in ("charge", "drop"):
        model = AVMClassifier(
            diameter=0.5, regularization=0.01, max_cores=9, at_cap=at_cap, **COMMON
        )
        assert max(sizes(model, X, y)) == 9


@pytest.mark.parametrize("maintenance", ["removal", "merging"])
def test_nbsgd_grows_beyond_its_budget_but_slower_than_sgd(maintenance: str) -> None:
    """Maintenance has probability rate/t: half of the updates at t = 2 rate enlarge the model."""
    X, y = two_classes(1500, flipped=0.3)
    model = NBSGDClassifier(budget=BUDGET, maintenance=maintenance, maintenance_rate=300.0,
                            regularization=0.01, **COMMON)  # fmt: skip
    early = learn(model, X[:300], y[:300]).n_support_
    late = learn(model, X[300:], y[300:]).n_support_
    unbounded = learn(KernelSGDClassifier(regularization=0.01, **COMMON), X, y).n_support_
    assert early == BUDGET
    assert BUDGET + 50 < late < unbounded - 300


@pytest.mark.parametrize(("n_classes", "budget"), [(3, 500), (300, 600)])
def test_an_auto_budget_has_two_vectors_for_each_of_many_classes(
    n_classes: int, budget: int
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 4)), np.arange(900) % n_classes
    model = BSGDClassifier(maintenance="removal", **COMMON).fit(X, y)
    assert model.n_support_ == budget
