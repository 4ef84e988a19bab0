"""Nyström features: exact where they must be, near elsewhere, for every kernel and kind of rows."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

import onkel
from onkel import Nystrom
from onkel.kernels import Sigmoid
from onkel.maps.nystrom import nystrom_transform, triangular_factor
from onkel.parallel.triangular import times_triangle

X = np.random.default_rng(0).normal(size=(300, 3))
EXACT: dict[str, Any] = {
    "rbf": lambda A, B: rbf_kernel(A, B, gamma=0.4),
    "laplacian": lambda A, B: laplacian_kernel(A, B, gamma=0.4),
    "polynomial": lambda A, B: polynomial_kernel(A, B, degree=3, gamma=0.4, coef0=1.0),
}


def fitted(**changes: Any) -> Nystrom:
    settings = {"gamma": 0.4, "n_components": 60, "coef0": 1.0, "random_state": 0} | changes
    return Nystrom(**settings).fit(X)


@pytest.mark.parametrize("kernel", EXACT)
def test_products_with_landmarks_are_exact(kernel: str) -> None:
    map_ = fitted(kernel=kernel)
    found = map_.transform(X) @ map_.transform(map_.components_).T
    exact = EXACT[kernel](X, map_.components_)
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-5 * np.abs(exact).max())


def test_products_of_other_rows_are_near_and_nearer_with_centres() -> None:
    errors = {}
    for landmarks in ("random", "kmeans"):
        z = fitted(landmarks=landmarks).transform(X)
        missing = EXACT["rbf"](X, X) - z @ z.T
        assert np.linalg.eigvalsh(missing).min() > -1e-6  # a projection: the rest is a kernel, too
        errors[landmarks] = np.trace(missing) / len(X)
    assert 0 < errors["kmeans"] < errors["random"] < 0.05


def test_landmarks_are_rows_and_belong_to_the_seed() -> None:
    map_ = fitted()
    known = {row.tobytes() for row in X}
    assert {row.tobytes() for row in map_.components_} <= known
    assert len(map_.components_) == 60
    np.testing.assert_array_equal(fitted().components_, map_.components_)
    assert not np.array_equal(fitted(random_state=1).components_, map_.components_)


def test_rank_keeps_the_largest_directions() -> None:
    whole, cut = fitted(), fitted(rank=7)
    assert cut.transform(X).shape == (300, 7)
    np.testing.assert_allclose(cut.transform(X), whole.transform(X)[:, :7], atol=1e-10)
    names = [f"nystrom{i}" for i in range(7)]
    assert cut.get_feature_names_out().tolist() == names


def test_few_rows_are_all_landmarks() -> None:
    map_ = Nystrom(gamma=0.4, n_components=100).fit(X[:20])
    z = map_.transform(X[:20])
    np.testing.assert_allclose(z @ z.T, EXACT["rbf"](X[:20], X[:20]), atol=1e-5)


@pytest.mark.parametrize("landmarks", ["random", "kmeans"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_give_the_same(dtype: Any, landmarks: str) -> None:
    rows = sparse.random(200, 40, density=0.1, format="csr", dtype=dtype, random_state=1)
    map_ = Nystrom(gamma=0.5, n_components=30, landmarks=landmarks, random_state=0)
    thin, full = clone(map_).fit(rows), clone(map_).fit(rows.toarray())
    z = full.transform(rows.toarray())
    assert z.dtype == dtype
    close = {"rtol": 0, "atol": 2e-3 if dtype == np.float32 else 1e-6}
    np.testing.assert_allclose(full.transform(rows), z, **close)
    if landmarks == "random":  # k-means rounds the two otherwise
        products = thin.transform(rows) @ thin.transform(rows).T
        np.testing.assert_allclose(products, z @ z.T, **close)


def test_a_function_as_kernel() -> None:
    map_ = fitted(kernel=EXACT["rbf"])
    np.testing.assert_allclose(np.abs(map_.transform(X)), np.abs(fitted().transform(X)), atol=1e-5)


def test_a_function_as_kernel_is_asked_for_values_with_landmarks_only() -> None:
    asked = []

    def products(A: Any, B: Any) -> np.ndarray:
        asked.append((len(A), len(B)))
        return A @ B.T

    map_ = Nystrom(kernel=products, n_components=20, random_state=0).fit(X)
    map_.transform(X)
    assert asked == [(20, 20), (300, 20)]


@pytest.mark.parametrize("kernel", ["sigmoid", Sigmoid(1.0, 0.0)])
def test_indefinite_kernels_are_refused(kernel: Any) -> None:
    with pytest.raises(ValueError, match=r"Nystrom.*(positive definite|kernel must be 'rbf')"):
        fitted(kernel=kernel)


def test_what_is_wrong_is_named_and_leaves_the_map_as_it_was() -> None:
    map_ = fitted()
    before = map_.transform(X)
    for wrong in ({"rank": 0}, {"landmarks": "grid"}, {"kernel": "foo"}, {"n_components": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            clone(map_).set_params(**wrong).fit(X)
    with pytest.raises(ValueError, match="NaN"):
        map_.fit(np.full((5, 3), np.nan))
    np.testing.assert_array_equal(map_.transform(X), before)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(map_)).transform(X), before)


def test_kernel_values_that_are_all_0_give_one_feature() -> None:
    transform, back = nystrom_transform(np.zeros((4, 4)), 3)
    assert transform.shape == back.shape == (4, 1) and not transform.any()
    z = Nystrom(kernel="linear").fit(np.zeros((6, 2))).transform(np.ones((3, 2)))
    np.testing.assert_array_equal(z, np.zeros((3, 1)))


@pytest.mark.parametrize("kernel", EXACT)
def test_a_triangular_factor_has_the_products_of_the_eigenvectors(kernel: str) -> None:
    gram, values = EXACT[kernel](X[:60], X[:60]), EXACT[kernel](X, X[:60])
    by_eigenvectors = values @ nystrom_transform(gram, 60)[0]
    order, triangle = triangular_factor(gram)
    found = values[:, order] @ triangle
    exact = by_eigenvectors @ by_eigenvectors.T
    np.testing.assert_allclose(found @ found.T, exact, rtol=0, atol=1e-6 * np.abs(exact).max())
    np.testing.assert_array_equal(triangle, np.triu(triangle))


def test_landmarks_that_come_again_have_no_part_in_a_triangular_factor() -> None:
    rows = np.vstack([X[:20], X[:10], X[:5]])
    gram = EXACT["rbf"](rows, rows)
    order, triangle = triangular_factor(gram)
    assert triangle.shape == (20, 20)
    assert len({tuple(row) for row in rows[order]}) == 20
    z = gram[:, order] @ triangle
    np.testing.assert_allclose(z @ z.T, gram, rtol=0, atol=1e-6)
    order, triangle = triangular_factor(np.zeros((4, 4)))
    assert order.tolist() == [0] and triangle.tolist() == [[0.0]]


@pytest.mark.parametrize("size", [1, 255, 256, 257, 600])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_with_a_triangle_are_products(size: int, dtype: Any) -> None:
    rng = np.random.default_rng(size)
    rows, triangle = rng.normal(size=(7, size)), np.triu(rng.normal(size=(size, size)))
    found = times_triangle(rows.astype(dtype), triangle.astype(dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(
        found, rows @ triangle, rtol=0, atol=np.finfo(dtype).eps * 100 * size
    )


def test_both_transformers_are_found_where_the_learners_are() -> None:
    assert onkel.Nystrom is onkel.transformers.Nystrom
    assert onkel.RandomFourier is onkel.transformers.RandomFourier
    assert {"Nystrom", "RandomFourier"} <= set(dir(onkel))


@parametrize_with_checks([Nystrom(n_components=8), Nystrom(landmarks="kmeans", n_components=5)])
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    check(estimator)
