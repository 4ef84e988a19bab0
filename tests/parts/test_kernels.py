"""Kernels through the engine's block evaluation, against plain NumPy, for every kind of rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse, special
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel

from onkel.engine.matrix import KernelMatrix
from onkel.engine.walk import fill
from onkel.kernels import (
    Given,
    Laplacian,
    Linear,
    Matern32,
    Matern52,
    Polynomial,
    RationalQuadratic,
    Rbf,
    Sigmoid,
)
from onkel.kernels.geometry import LARGEST_COORDINATE, SQUARED, for_blocks, geometry_of
from onkel.kernels.given import given_values
from onkel.model.questions import compiled_for, with_distinct_names
from onkel.model.state import workspace_pointer
from onkel.model.tile import Tile
from tests.parts.workspaces import LAYOUTS, as_rows, dense, empty_workspace, machine, random_rows

Values = Callable[[np.ndarray, np.ndarray], np.ndarray]
KERNELS: dict[str, tuple[Any, Values]] = {
    "rbf": (Rbf(0.3), lambda a, b: np.exp(-0.3 * squared(a, b))),
    "laplacian": (Laplacian(0.2), lambda a, b: laplacian_kernel(a, b, gamma=0.2)),
    "linear": (Linear(), lambda a, b: a @ b.T),
    "polynomial": (Polynomial(0.5, 3, 1.5),
                   lambda a, b: polynomial_kernel(a, b, degree=3, gamma=0.5, coef0=1.5)),
    "matern32": (Matern32(0.3), lambda a, b: matern(1.5, 0.3, a, b)),
    "matern52": (Matern52(0.3), lambda a, b: matern(2.5, 0.3, a, b)),
    "rational_quadratic": (RationalQuadratic(0.3, 2.5), lambda a, b: (1 + 0.3 / 2.5 * squared(a, b)) ** -2.5),
    "cauchy": (RationalQuadratic(0.3), lambda a, b: 1 / (1 + 0.3 * squared(a, b))),
    "sigmoid": (Sigmoid(0.2, -0.1), lambda a, b: np.tanh(0.2 * (a @ b.T) - 0.1)),
    "polynomial_of_degree_1": (Polynomial(0.7, 1, 0.0), lambda a, b: 0.7 * (a @ b.T)),
}  # fmt: skip
COUNT, SLOTS, FIRST = 9, 13, 4  # rows of the block, vectors in use, and where the block begins
#: Rounding of sums of a few dozen terms of size 1; a wrong constant is off by far more.
ROUNDING = {np.float32: 4e-6, np.float64: 2e-14}
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
both_types = pytest.mark.parametrize("dtype", [np.float64, np.float32])
every_kernel = pytest.mark.parametrize("name", KERNELS)


def squared(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return ((a[:, None] - b[None]) ** 2).sum(axis=2)


def matern(smoothness: float, gamma: float, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Its definition, by the modified Bessel function of the second kind."""
    z = np.sqrt(2 * smoothness * 2 * gamma * squared(a, b))
    with np.errstate(invalid="ignore"):
        values = 2 ** (1 - smoothness) / special.gamma(smoothness) * z**smoothness
        values = values * special.kv(smoothness, z)
    return np.where(z == 0, 1.0, values)


def furthest(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs(a[:, None] - b[None]).max(axis=2)


def evaluated(kernel: Any, layout: str, dtype: Any, inner: bool = True, distances: str = ""):
    """A block of rows against a store of vectors; the sheet, the rows and the vectors."""
    city = geometry_of(kernel) == "city_block"
    V, X = random_rows(layout, SLOTS, dtype, 1), random_rows(layout, FIRST + COUNT + 3, dtype, 2)
    owner = machine(layout, dtype, kernel=kernel)
    sheet = empty_workspace(COUNT, owner.capacity, dtype, inner, bool(distances))
    vectors, rows = as_rows(V, layout, COUNT, city), as_rows(X, layout, COUNT, city)
    put_all(owner.store, vectors)
    asked = for_blocks(kernel, dtype, distances)
    compare = compiled_for(fill, asked)
    tile = Tile(FIRST, COUNT, 0, SLOTS, True)
    compare(asked, owner.store, rows, tile, workspace_pointer(*sheet))
    return sheet, dense(X)[FIRST : FIRST + COUNT], dense(V)


def put_all(store: Any, vectors: Any) -> None:
    for slot in range(SLOTS):
        store.put(slot, vectors, slot)  # plain Python: parts run either way


@every_layout
@both_types
@every_kernel
def test_values_of_a_block(name: str, dtype: Any, layout: str) -> None:
    kernel, exact = KERNELS[name]
    sheet, X, V = evaluated(kernel, layout, dtype)
    scale = max(1.0, np.abs(exact(X, V)).max(), np.abs(exact(X, X)).max())
    close = {"rtol": 0, "atol": ROUNDING[dtype] * scale}
    np.testing.assert_allclose(sheet.values[:, :SLOTS], exact(X, V), **close)
    np.testing.assert_allclose(sheet.block_values, exact(X, X), **close)
    np.testing.assert_allclose(sheet.diagonal, np.diag(exact(X, X)), **close)
    assert np.isnan(sheet.values[:, SLOTS:]).all()
    assert sheet.values.dtype == dtype


@every_layout
@both_types
def test_squared_distances_beside_the_gaussian_kernel(dtype: Any, layout: str) -> None:
    sheet, X, V = evaluated(Rbf(0.3), layout, dtype, distances=SQUARED)
    close = {"rtol": 0, "atol": 20 * ROUNDING[dtype]}
    np.testing.assert_allclose(sheet.distances[:, :SLOTS], squared(X, V), **close)
    np.testing.assert_allclose(sheet.block_distances, squared(X, X), **close)
    assert min(sheet.distances[:, :SLOTS].min(), sheet.block_distances.min()) >= 0
    assert np.isnan(sheet.distances[:, SLOTS:]).all()
    values = np.exp(-0.3 * sheet.distances[:, :SLOTS].astype(float))
    np.testing.assert_allclose(sheet.values[:, :SLOTS], values, rtol=10 * ROUNDING[dtype])


@every_layout
@both_types
def test_coordinate_differences_of_boxes_are_exact(dtype: Any, layout: str) -> None:
    sheet, X, V = evaluated(Rbf(0.3), layout, dtype, distances=LARGEST_COORDINATE)
    np.testing.assert_array_equal(sheet.distances[:, :SLOTS], furthest(X, V).astype(dtype))
    np.testing.assert_array_equal(sheet.block_distances, furthest(X, X).astype(dtype))


@every_layout
@every_kernel
def test_a_sheet_for_scoring_has_no_inner_block(name: str, layout: str) -> None:
    kernel, exact = KERNELS[name]
    sheet, X, V = evaluated(kernel, layout, np.float64, inner=False)
    scale = max(1.0, np.abs(exact(X, V)).max())
    np.testing.assert_allclose(sheet.values[:, :SLOTS], exact(X, V), rtol=0, atol=2e-14 * scale)


def test_a_hair_off_is_seen() -> None:
    """The comparison above fails for a gamma that is wrong in the seventh digit."""
    sheet, X, V = evaluated(Rbf(0.3 * (1 + 1e-7)), "dense", np.float64)
    exact = KERNELS["rbf"][1](X, V)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(sheet.values[:, :SLOTS], exact, rtol=0, atol=2e-14)


@pytest.mark.parametrize(
    ("kernel", "dtype"),
    [(Rbf(0.3), np.float64), (Rbf(0.3), np.float32), (Laplacian(0.2), np.float32)],
)
def test_far_away_data_is_moved_to_the_origin(kernel: Any, dtype: Any) -> None:
    """Rows around 1000: without the offset, float32 distances would have errors of size 1."""
    rng = np.random.default_rng(3)
    X = (rng.integers(-512, 512, size=(200, 7)) / 256 + 1000).astype(dtype)  # exact in float32
    owner = machine("dense", dtype, kernel=kernel)
    owner.adapt_to(X)
    owner.learn(X[:100], np.resize([1.0, -1.0], 100), np.ones(100))
    V = owner.vectors().astype(float)
    gaps = X[100:].astype(float)
    exact = (laplacian_kernel(gaps, V, gamma=0.2) if isinstance(kernel, Laplacian)
             else np.exp(-0.3 * squared(gaps, V)))  # fmt: skip
    known = {row.tobytes() for row in X[:100].astype(float)}
    assert owner.n > 50
    assert all(v.tobytes() in known for v in V)
    scores = owner.scores(X[100:])[:, 0]
    np.testing.assert_allclose(scores, exact @ owner.dual_coef()[0], rtol=0,
                               atol=100 * ROUNDING[dtype])  # fmt: skip


def test_kernels_that_are_no_functions_of_differences_are_not_moved() -> None:
    X = np.full((5, 7), 1000.0)
    for kernel in (Linear(), Polynomial(0.1, 2, 1.0)):
        owner = machine("dense", kernel=kernel)
        owner.adapt_to(X)
        assert owner.offset is None


@every_layout
@both_types
def test_a_callable_through_given(dtype: Any, layout: str) -> None:
    def cosine(a: Any, b: Any) -> np.ndarray:
        return np.cos(dense(a)[:, None, :3] - dense(b)[None, :, :3]).sum(axis=2)

    V, X = random_rows(layout, SLOTS, dtype, 1), random_rows(layout, COUNT, dtype, 2)
    given = given_values(cosine, X, V, np.dtype(dtype))
    assert isinstance(given, Given)
    sheet = empty_workspace(COUNT, SLOTS + 2, dtype)
    owner = machine(layout, dtype, kernel=cosine)
    fill(
        given,
        owner.store,
        as_rows(X, layout, COUNT),
        Tile(0, COUNT, 0, SLOTS, True),
        workspace_pointer(*sheet),
    )
    np.testing.assert_array_equal(sheet.values[:, :SLOTS], cosine(X, V).astype(dtype))
    np.testing.assert_array_equal(sheet.block_values, cosine(X, X).astype(dtype))
    np.testing.assert_array_equal(sheet.diagonal, np.diag(cosine(X, X)).astype(dtype))


@pytest.mark.parametrize(
    "wrong", [lambda a, b: np.ones((2, 2)), lambda a, b: np.full((len(a), len(b)), np.nan)]
)
def test_a_callable_with_a_wrong_answer_is_told_so(wrong: Any) -> None:
    X = np.zeros((3, 2))
    with pytest.raises(ValueError, match=r"must return a finite array of shape \(3, 3\)"):
        given_values(wrong, X, X, np.dtype(float))


@pytest.mark.parametrize("name", KERNELS)
def test_value_is_plain_python_too(name: str) -> None:
    """What compiled code does with one number, Python does with the same function."""
    kernel, exact = KERNELS[name]
    x, v = random_rows("dense", 2, np.float64, 5)[:, None]
    geometry = {
        "products": lambda: x[0] @ v[0],
        "squared_distances": lambda: ((x - v) ** 2).sum(),
        "city_block": lambda: np.abs(x - v).sum(),
    }
    found = kernel.value(float(geometry[geometry_of(kernel)]()))
    assert found == pytest.approx(exact(x, v)[0, 0], rel=1e-13)


@both_types
@pytest.mark.parametrize("kernel", [Matern32, Matern52, RationalQuadratic, Rbf])
@pytest.mark.parametrize("gamma", [3e38, 1e-38])
def test_values_far_beyond_the_type_are_numbers(kernel: Any, gamma: float, dtype: Any) -> None:
    sheet = evaluated(kernel(gamma), "dense", dtype)[0]
    far = 0.0 if gamma > 1 else 1.0
    np.testing.assert_allclose(sheet.values[:, :SLOTS], far, atol=1e-6)
    np.testing.assert_allclose(sheet.diagonal, 1.0)


class Inverse(NamedTuple):
    """A kernel that onkel does not have: the inverse multiquadric."""

    gamma: float
    geometry = "squared_distances"

    def value(self, g):
        return 1.0 / math.sqrt(1.0 + self.gamma * g)


@every_layout
@both_types
def test_a_kernel_of_ones_own(dtype: Any, layout: str) -> None:
    kernel = with_distinct_names(Inverse(0.7))
    sheet, X, V = evaluated(kernel, layout, dtype)
    exact = 1 / np.sqrt(1 + 0.7 * squared(X, V))
    np.testing.assert_allclose(sheet.values[:, :SLOTS], exact, rtol=0, atol=ROUNDING[dtype])
    np.testing.assert_allclose(sheet.diagonal, 1.0)


def test_a_kernel_without_a_geometry_is_told_so() -> None:
    class Nowhere(NamedTuple):
        def value(self, g):
            return g

    with pytest.raises(ValueError, match="must declare its geometry: 'products', 'squared_dis"):
        machine("dense", kernel=Nowhere()).adapt_to(np.ones((5, 7)))


@pytest.mark.parametrize("sparse_vectors", [False, True])
@pytest.mark.parametrize("sparse_rows", [False, True])
@pytest.mark.parametrize("d", [7, 3000])
@pytest.mark.parametrize("name", ["rbf", "laplacian", "polynomial", "matern52"])
def test_matrices_of_all_kinds(name: str, d: int, sparse_rows: bool, sparse_vectors: bool) -> None:
    kernel, exact = KERNELS[name]
    rng = np.random.default_rng(6)
    X, V = (rng.normal(size=(n, d)) * (rng.random((n, d)) < 9 / d) for n in (150, 11))
    rows = sparse.csr_matrix(X) if sparse_rows else X
    vectors = sparse.csr_array(V) if sparse_vectors else V
    found = KernelMatrix(kernel, vectors)(rows)
    scale = max(1.0, np.abs(exact(X, V)).max())
    np.testing.assert_allclose(found, exact(X, V), rtol=0, atol=1e-13 * scale)


def test_very_wide_vectors_stay_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onkel.engine.layout.LARGEST_DENSE", 100)
    V, X = random_rows("pool", 12, np.float64, 1), random_rows("pool", 130, np.float64, 2)
    found = KernelMatrix(Rbf(0.3), V)(X)
    np.testing.assert_allclose(found, KERNELS["rbf"][1](dense(X), dense(V)), rtol=0, atol=1e-14)
