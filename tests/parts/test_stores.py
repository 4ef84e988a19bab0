"""The three stores of vectors do the same as NumPy; a pool that is full makes room for itself."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from scipy import sparse

from onkel.compiled.decorators import OPTIONS
from onkel.engine.layout import (
    POOL_START,
    as_layout,
    compacted_pool,
    empty_store,
    enlarged_store,
    layout_for,
    norms_of,
    vectors_of,
)
from onkel.model.questions import as_store, blend, chebyshev, copy, manhattan, products, put
from onkel.model.state import COPY, PUT, workspace_pointer
from onkel.model.vectors import PoolStore, apply_log
from tests.parts.workspaces import LAYOUTS, as_rows, dense, empty_workspace, random_rows

SLOTS, COUNT = 11, 6
every_layout = pytest.mark.parametrize("layout", LAYOUTS)


@numba.njit(**OPTIONS)
def apply(store, rows, moves, shares):
    for i in range(len(moves)):
        kind, slot, source = moves[i]
        if kind == PUT:
            put(store, slot, rows, source)
        elif kind == COPY:
            copy(store, source, slot)
        else:
            blend(store, slot, source, shares[i])


@numba.njit(**OPTIONS)
def read(store, rows, first, count, n, flat, inner, city, gaps):
    inner[:] = products(store, rows, first, count, 0, n, flat)
    city[:] = manhattan(store, rows, first, count, 0, n, flat)
    chebyshev(store, rows, first, count, 0, n, gaps)


@numba.njit(**OPTIONS)
def read_block(rows, first, count, flat, inner):
    inner[:] = products(as_store(rows, first, count), rows, first, count, 0, count, flat)


@numba.njit(**OPTIONS)
def carry(store, rows, workspace):
    return apply_log(store, rows, workspace)


def random_moves(rng: np.random.Generator, rows: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    """All slots are filled; then vectors are put, copied and blended, also with themselves."""
    moves = [(PUT, slot, int(rng.integers(rows))) for slot in range(SLOTS)]
    for _ in range(length):
        kind = int(rng.integers(3))
        bound = rows if kind == PUT else SLOTS
        moves.append((kind, int(rng.integers(SLOTS)), int(rng.integers(bound))))
    shares = rng.choice([0.0, 1.0, 0.25, 0.7], size=len(moves))
    return np.array(moves, np.int64), shares


def followed(X: np.ndarray, moves: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The same moves on a plain matrix."""
    V = np.zeros((SLOTS, X.shape[1]))
    for (kind, slot, source), share in zip(moves, shares, strict=True):
        if kind == PUT:
            V[slot] = X[source]
        elif kind == COPY:
            V[slot] = V[source]
        else:
            V[slot] = share * V[slot] + (1 - share) * V[source]
    return V


def roomy_store(layout: str, dtype: Any, room: int = 200_000) -> Any:
    store = empty_store(layout, SLOTS + 2, LAYOUTS[layout], np.dtype(dtype))
    if layout == "pool":
        store = store._replace(data=np.zeros(room, dtype), indices=np.zeros(room, np.int64))
    return store


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@every_layout
def test_put_copy_and_blend_as_in_numpy(layout: str, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    X = random_rows(layout, 20, dtype)
    moves, shares = random_moves(rng, 20, 60)
    store = roomy_store(layout, dtype)
    apply(store, as_rows(X, layout, COUNT), moves, shares)
    expected = followed(dense(X), moves, shares)
    tolerance = 1e-13 if dtype is np.float64 else 1e-5
    found = vectors_of(store, SLOTS, LAYOUTS[layout])
    np.testing.assert_allclose(dense(found), expected, rtol=0, atol=tolerance)
    np.testing.assert_allclose(
        store.norms[:SLOTS], (expected**2).sum(axis=1), rtol=10 * tolerance, atol=10 * tolerance
    )
    assert found.dtype == dtype
    assert sparse.issparse(found) == (layout != "dense")


@every_layout
def test_products_and_distances_as_in_numpy(layout: str) -> None:
    X = random_rows(layout, 20, np.float64)
    moves, shares = random_moves(np.random.default_rng(1), 20, 0)
    A = followed(dense(X), moves, shares)
    first = 5
    B = dense(X)[first : first + COUNT]
    for city_block in (False, True):  # the norms of sparse rows shorten the way to city distances
        rows = as_rows(X, layout, COUNT, city_block)
        store = roomy_store(layout, np.float64)
        apply(store, rows, moves, shares)
        inner, city, gaps = (np.full((COUNT, SLOTS), np.nan) for _ in range(3))
        read(store, rows, first, COUNT, SLOTS, np.zeros(COUNT * 40), inner, city, gaps)
        np.testing.assert_allclose(inner, B @ A.T, rtol=0, atol=1e-13)
        np.testing.assert_array_equal(gaps, np.abs(B[:, None] - A[None]).max(axis=2))
        if city_block or layout == "dense":
            np.testing.assert_allclose(
                city, np.abs(B[:, None] - A[None]).sum(axis=2), rtol=0, atol=1e-13
            )


@every_layout
def test_a_block_of_rows_as_a_store_of_its_own(layout: str) -> None:
    X = random_rows(layout, 20, np.float64)
    rows = as_rows(X, layout, COUNT)
    for first, count in (
        (9, COUNT),
        (3, 2),
        (14, COUNT),
    ):  # what an earlier block left must not show
        B, inner = dense(X)[first : first + count], np.full((count, count), np.nan)
        read_block(rows, first, count, np.zeros(count * count), inner)
        np.testing.assert_allclose(inner, B @ B.T, rtol=0, atol=1e-13)
    if layout == "pool":
        assert not rows.scratch.any()


@every_layout
def test_a_store_enlarged_holds_the_same(layout: str) -> None:
    X = random_rows(layout, 20, np.float64)
    moves, shares = random_moves(np.random.default_rng(2), 20, 20)
    store = roomy_store(layout, np.float64)
    apply(store, as_rows(X, layout, COUNT), moves, shares)
    before = dense(vectors_of(store, SLOTS, LAYOUTS[layout]))
    larger = enlarged_store(store, 50)
    np.testing.assert_array_equal(dense(vectors_of(larger, SLOTS, LAYOUTS[layout])), before)
    assert larger.norms.shape == (50,)
    apply(larger, as_rows(X, layout, COUNT), np.array([[PUT, 49, 3]]), np.ones(1))
    assert larger.norms[49] == pytest.approx((dense(X)[3] ** 2).sum())


def test_a_compacted_pool_holds_the_same_in_less_room() -> None:
    X = random_rows("pool", 20, np.float64)
    moves, shares = random_moves(np.random.default_rng(3), 20, 400)
    store = roomy_store("pool", np.float64)
    apply(store, as_rows(X, "pool", COUNT), moves, shares)
    n_features = LAYOUTS["pool"]
    before = dense(vectors_of(store, SLOTS, n_features))
    tight = compacted_pool(store, SLOTS, longest_row=30)
    live = int((store.stop - store.start)[:SLOTS].sum())
    np.testing.assert_array_equal(dense(vectors_of(tight, SLOTS, n_features)), before)
    assert tight.used[0] == live < store.used[0]
    assert tight.data.size <= max(POOL_START, 2 * live + 8 * max(30, int(store.used[1])))
    apply(tight, as_rows(X, "pool", COUNT), np.array([[PUT, 2, 7]]), np.ones(1))  # and it can go on
    before[2] = dense(X)[7]
    np.testing.assert_array_equal(dense(vectors_of(tight, SLOTS, n_features)), before)


def logged_moves(workspace: Any, moves: np.ndarray, shares: np.ndarray) -> None:
    workspace.log[: len(moves)], workspace.log_shares[: len(moves)] = moves, shares
    workspace.log_state[:] = len(moves), 0


def test_a_log_is_carried_out_across_compactions() -> None:
    """The smallest pool there is: the log stops for lack of room, and goes on where it stopped."""
    X = random_rows("pool", 20, np.float64)
    rows = as_rows(X, "pool", COUNT)
    moves, shares = random_moves(np.random.default_rng(4), 20, 600)
    workspace = empty_workspace(200, SLOTS)
    logged_moves(workspace, moves, shares)
    store, stops = empty_store("pool", SLOTS, LAYOUTS["pool"], np.dtype(float)), 0
    while not carry(store, rows, workspace_pointer(*workspace)):
        assert workspace.log_state[1] < workspace.log_state[0]
        store = compacted_pool(store, SLOTS, int(np.diff(rows.indptr).max()))
        stops += 1
        assert stops < len(moves)
    assert stops > 1
    assert workspace.log_state.tolist() == [0, 0]
    found = dense(vectors_of(store, SLOTS, LAYOUTS["pool"]))
    np.testing.assert_allclose(found, followed(dense(X), moves, shares), rtol=0, atol=1e-12)
    assert isinstance(store, PoolStore)


def test_a_pool_costs_memory_by_its_non_zeros() -> None:
    store = empty_store("pool", 100, 10**6, np.dtype(float))
    assert sum(array.nbytes for array in store) < 100_000


def test_the_layout_goes_by_the_kind_and_width_of_the_data() -> None:
    assert layout_for(np.zeros((2, 5000))) == "dense"
    assert layout_for(sparse.csr_matrix((2, 1024))) == "columns"
    assert layout_for(sparse.csr_matrix((2, 1025))) == "pool"


@pytest.mark.parametrize("layout", ["columns", "pool"])
def test_unsorted_and_repeated_entries_are_put_in_order(layout: str) -> None:
    d = LAYOUTS[layout]
    X = sparse.csr_matrix(
        (np.array([3.0, 1.0, 2.0, 5.0]), np.array([9, 2, 9, 4]), np.array([0, 3, 4])), (2, d)
    )
    before = X.copy()
    made = as_layout(X, layout, np.dtype(float))
    assert made.indices.tolist() == [2, 9, 4]
    assert made.data.tolist() == [1.0, 5.0, 5.0]
    np.testing.assert_array_equal(norms_of(made, city_block=False), [26.0, 25.0])
    np.testing.assert_array_equal(norms_of(made, city_block=True), [6.0, 5.0])
    assert X.indices.tolist() == before.indices.tolist()  # the user's matrix is left alone


@every_layout
def test_any_form_of_input_becomes_the_layout(layout: str) -> None:
    X = random_rows(layout, 5, np.float64)
    for given in (dense(X), sparse.csr_matrix(X), sparse.csr_matrix(X).astype(np.float32)):
        made = as_layout(given, layout, np.dtype(given.dtype))
        np.testing.assert_allclose(dense(made), dense(X), rtol=1e-6, atol=1e-6)
        assert sparse.issparse(made) == (layout != "dense")
