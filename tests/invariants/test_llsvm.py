"""What LLSVM must do: be the kernel SVM at full rank, a function of landmarks otherwise."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import nnls
from sklearn.svm import SVC, LinearSVC

from onkel.learners import squared_hinge
from onkel.learners.llsvm import LLSVMClassifier, left_out_scores

GAMMA = 0.7
KERNELS = {
    "rbf": lambda a, b: np.exp(-GAMMA * ((a[:, None] - b[None]) ** 2).sum(axis=2)),
    "laplacian": lambda a, b: np.exp(-GAMMA * np.abs(a[:, None] - b[None]).sum(axis=2)),
    "polynomial": lambda a, b: (GAMMA * a @ b.T + 0.5) ** 2,
    "linear": lambda a, b: a @ b.T,
}


def make_data(m: int = 60, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(m, 2))
    edges = [0.0] if classes == 2 else [-0.7, 0.7]
    return X, np.digitize(np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=m), edges)


def make_model(**changes: object) -> LLSVMClassifier:
    settings = {"gamma": GAMMA, "degree": 2, "coef0": 0.5, "random_state": 0}
    return LLSVMClassifier(**{**settings, **changes})


@pytest.mark.parametrize("kernel", KERNELS)
def test_full_rank_is_the_exact_squared_hinge_machine(kernel: str) -> None:
    """All rows landmarks, all directions kept: the dual, max sum(a) - a'(Q + I/(2C))a/2, a >= 0."""
    X, y = make_data()
    signs, C = 2.0 * y - 1, 3.0
    K = KERNELS[kernel](X, X)
    upper = np.linalg.cholesky(K * np.outer(signs, signs) + np.eye(len(y)) / (2 * C)).T
    dual, _ = nnls(upper, np.linalg.solve(upper.T, np.ones(len(y))), maxiter=10_000)
    model = make_model(kernel=kernel, budget=100, rank=100, C=C).fit(X, y)
    assert model.n_support_ == 60
    np.testing.assert_allclose(model.decision_function(X), K @ (signs * dual), atol=1e-4)


@pytest.mark.parametrize("kernel", [*KERNELS, "callable"])
@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_an_expansion_on_the_landmarks(kernel: str, classes: int) -> None:
    X, y = make_data(200, classes)
    function = KERNELS["rbf" if kernel == "callable" else kernel]
    chosen = function if kernel == "callable" else kernel
    model = make_model(kernel=chosen, budget=30, rank=8).fit(X, y)
    assert model.support_vectors_.shape == (30, 2) and model.n_support_ == 30
    assert model.dual_coef_.shape == (1 if classes == 2 else 3, 30) and model.rank_ <= 8
    scores = function(X, model.support_vectors_) @ model.dual_coef_.T
    expected = scores[:, 0] if classes == 2 else scores
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-8)


@pytest.mark.parametrize("classes", [2, 3])
def test_landmarks_come_near_the_svm_on_all_rows(classes: int) -> None:
    X, y = make_data(400, classes)
    learn, test = slice(0, 200), slice(200, 400)
    exact = SVC(gamma=GAMMA).fit(X[learn], y[learn])
    model = make_model(budget=30, rank=30).fit(X[learn], y[learn])
    assert model.score(X[test], y[test]) > exact.score(X[test], y[test]) - 0.04


def test_features_are_the_leading_eigenvectors() -> None:
    """The kept features reproduce the landmarks' kernel matrix as well as any of that rank can."""
    X, y = make_data(200)
    model = make_model(budget=30, rank=8).fit(X, y)
    K = KERNELS["rbf"](model.support_vectors_, model.support_vectors_)
    Z = K @ model._whitening()
    left_out = np.linalg.eigvalsh(K)[:-8]
    assert np.linalg.norm(K - Z @ Z.T) == pytest.approx(np.linalg.norm(left_out), rel=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("layout", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_csr_rows(layout: type, kernel: str) -> None:
    X, y = make_data(50)
    X[np.abs(X) < 0.5] = 0
    dense = make_model(kernel=kernel).fit(X, y)
    sparse = make_model(kernel=kernel).fit(layout(X), y)
    np.testing.assert_allclose(
        sparse.decision_function(layout(X)), dense.decision_function(X), atol=1e-6
    )
    np.testing.assert_allclose(
        dense.decision_function(layout(X)), dense.decision_function(X), atol=1e-10
    )


def test_repeated_rows_add_no_direction() -> None:
    X, y = make_data(12)
    X, y = np.repeat(X, 5, axis=0), np.repeat(y, 5)
    model = make_model(budget=100, rank=100).fit(X, y)
    assert model.rank_ == 12 and np.abs(model.dual_coef_).max() < 1e4


def test_rank_auto_is_a_fifth_of_the_budget_and_seeds_repeat() -> None:
    X, y = make_data(300)
    one, two = (make_model(budget=40).fit(X, y) for _ in range(2))
    assert one.rank_ == 8
    assert np.array_equal(one.dual_coef_, two.dual_coef_)
    other = make_model(budget=40, random_state=1).fit(X, y)
    assert not np.array_equal(one.support_vectors_, other.support_vectors_)


def test_rows_of_weight_zero_change_nothing() -> None:
    X, y = make_data(200)
    weights = np.random.default_rng(0).choice([0.0, 1.5], size=200)
    kept = weights > 0
    part = make_model(budget=20).fit(X[kept], y[kept], weights[kept])
    whole = make_model(budget=20).fit(X, y, weights)
    np.testing.assert_array_equal(part.dual_coef_, whole.dual_coef_)


def test_a_kernel_that_is_zero_everywhere() -> None:
    model = LLSVMClassifier(kernel="linear").fit(np.zeros((6, 2)), [0, 1, 0, 1, 0, 1])
    assert not model.dual_coef_.any() and list(model.predict(np.ones((1, 2)))) == [0]


@pytest.mark.parametrize("classes", [2, 3])
def test_left_out_scores_are_those_of_a_machine_without_the_row(classes: int) -> None:
    rng = np.random.default_rng(4)
    features, C = rng.normal(size=(150, 5)), 0.05
    edges = [0.0] if classes == 2 else [-0.8, 0.8]
    codes = np.digitize(features[:, 0] + rng.normal(size=150), edges)
    weights = rng.choice([0.5, 1.0, 2.0], 150)

    def learned(kept: np.ndarray) -> np.ndarray:
        svm = LinearSVC(C=C, fit_intercept=False, dual=False, tol=1e-10)
        return svm.fit(features[kept], codes[kept], sample_weight=weights[kept]).coef_

    every = np.arange(150)
    coef = learned(every)
    found = left_out_scores(features, coef, codes, C * weights)
    exact = np.vstack([features[i] @ learned(every[every != i]).T for i in every])
    plain = np.abs(features @ coef.T - exact)
    assert plain.max() > 0.05, "nothing to correct"
    close = (
        np.abs(found - exact) < 1e-6
    )  # but for rows that move others over the edge of the margin
    assert close.mean() > 0.5
    assert np.abs(found - exact).mean() < 0.03 * plain.mean()


def steps_near_the_margin(seed: int) -> int:
    """How many steps it takes where rows are all but at the margin: the objective does not feel the last ones."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(2000, 5))
    signs = np.where(z[:, 0] + rng.normal(size=len(z)) > 0.0, 1.0, -1.0)
    w = squared_hinge.squared_hinge_weights(z, signs, np.ones(len(z)))
    margins = 1.0 - 1e-8 * rng.random((50, 1))
    across = rng.normal(size=(50, 5)) @ (np.eye(5) - np.outer(w, w) / (w @ w))
    z, signs = np.vstack([z, margins * w / (w @ w) + across]), np.append(signs, np.ones(50))
    steps, gram = [], squared_hinge.weighted_gram
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            squared_hinge, "weighted_gram", lambda *rows: (steps.append(1), gram(*rows))[1]
        )
        again = squared_hinge.squared_hinge_weights(z, signs, np.ones(len(z)))
    np.testing.assert_allclose(again, w, rtol=0.0, atol=1e-8)
    return len(steps)


@pytest.mark.parametrize("upwards", [True, False])
def test_newton_stops_where_steps_are_rounding(
    upwards: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However sums are rounded: even if every one is rounded up more than the one before, so that nothing gains."""
    exact, looks, noise = squared_hinge.objective, itertools.count(), np.random.default_rng(0)
    share = 1e-12 if upwards else 8.0 * np.finfo(float).eps
    more = (share * look if upwards else share * noise.normal() for look in looks)
    monkeypatch.setattr(squared_hinge, "objective", lambda *at: exact(*at) * (1.0 + next(more)))
    assert max(map(steps_near_the_margin, range(6))) <= 12


def test_newton_does_not_live_on_the_luck_of_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where whole steps gain nothing any more, a small part of one may seem to, again and again."""
    exact, descended, looks = squared_hinge.objective, squared_hinge.descended, itertools.count()

    def found(*at: Any) -> Any:
        nonlocal looks
        looks = itertools.count()
        return descended(*at)

    def rounded(*at: Any) -> float:
        luck = {0: 0.0, 12: -4.0}.get(next(looks), 4.0)
        return exact(*at) * (1.0 + luck * np.finfo(float).eps)

    monkeypatch.setattr(squared_hinge, "descended", found)
    monkeypatch.setattr(squared_hinge, "objective", rounded)
    assert max(map(steps_near_the_margin, range(6))) <= 12
