"""The kept factor of the Gram matrix against numpy.linalg, through long series of moves."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from onkel.budgets.factor import (
    append_factor,
    places_by_age,
    remove_factor,
    solve_first,
    solve_second,
)
from onkel.compiled.decorators import OPTIONS
from onkel.learners.bsgd import JITTER

CAPACITY, GAMMA = 24, 0.5


@numba.njit(**OPTIONS)
def first(factor, n, x):
    solve_first(factor, n, x)


@numba.njit(**OPTIONS)
def second(factor, n, x):
    solve_second(factor, n, x)


@numba.njit(**OPTIONS)
def append(factor, n, solved, residual):
    append_factor(factor, n, solved, residual)


@numba.njit(**OPTIONS)
def remove(factor, n, place, scratch):
    remove_factor(factor, n, place, scratch)


@numba.njit(**OPTIONS)
def places(born, n, out):
    places_by_age(born, n, out)


def triangle(factor: np.ndarray, n: int) -> np.ndarray:
    """R as a plain matrix: the diagonal is stored as its reciprocal."""
    R = np.triu(factor[:n, :n], 1)
    R[np.arange(n), np.arange(n)] = 1 / factor[np.arange(n), np.arange(n)]
    return R


class Kept:
    """Points and the kept factor of their Gram matrix; NaN wherever nothing may be read."""

    def __init__(self, jitter: float) -> None:
        self.factor = np.full((CAPACITY, CAPACITY), np.nan)
        self.points = np.empty((0, 2))
        self.jitter = jitter

    @property
    def n(self) -> int:
        return len(self.points)

    def values(self, point: np.ndarray) -> np.ndarray:
        return np.exp(-GAMMA * ((self.points - point) ** 2).sum(axis=1))

    def append(self, point: np.ndarray) -> None:
        solved = self.values(point)
        first(self.factor, self.n, solved)
        gap = 1.0 + self.jitter - solved @ solved
        append(self.factor, self.n, solved, max(gap, self.jitter))
        self.points = np.vstack([self.points, point])

    def remove(self, place: int) -> None:
        remove(self.factor, self.n, place, np.full(CAPACITY, np.nan))
        self.points = np.delete(self.points, place, axis=0)

    def matrix(self) -> np.ndarray:
        gaps = self.points[:, None] - self.points[None]
        return np.exp(-GAMMA * (gaps**2).sum(axis=2)) + self.jitter * np.eye(self.n)


def wander(kept: Kept, rng: np.random.Generator, moves: int, close: float) -> Any:
    """Random moves, a third of the newcomers beside an old vector; yields after each one."""
    for _ in range(moves):
        full = kept.n >= CAPACITY - 1
        if kept.n < 2 or (not full and rng.random() < 0.55):
            point = rng.normal(scale=4.0, size=2)
            if kept.n and rng.random() < 1 / 3:
                point = kept.points[rng.integers(kept.n)] + close * rng.normal(size=2)
            kept.append(point)
        else:
            kept.remove(int(rng.integers(kept.n)))
        yield kept


@pytest.mark.parametrize("n", range(CAPACITY + 1))
def test_solving_with_the_factor(n: int) -> None:
    rng = np.random.default_rng(n)
    R = np.triu(rng.normal(size=(n, n)) * 0.3, 1) + np.diag(rng.uniform(0.5, 2, size=n))
    factor = np.full((CAPACITY, CAPACITY), np.nan)  # the lower triangle must not be read
    factor[:n, :n] = np.where(np.tri(n, k=-1, dtype=bool), np.nan, R)
    factor[np.arange(n), np.arange(n)] = 1 / np.diag(R)
    x = np.append(rng.normal(size=n), np.full(CAPACITY - n, np.nan))
    y, z = x.copy(), x.copy()
    first(factor, n, y)
    second(factor, n, z)
    np.testing.assert_allclose(R.T @ y[:n], x[:n], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(R @ z[:n], x[:n], rtol=1e-12, atol=1e-12)
    assert np.isnan(y[n:]).all() and np.isnan(z[n:]).all()


@pytest.mark.parametrize("close", [0.1, 1e-2, 1e-4, 0.0])
def test_a_thousand_moves_among_near_duplicates(close: float) -> None:
    """R'R stays the jittered Gram matrix to a few ulps, however near to singular it is.

    An inverse kept by rank-one updates would not: its errors go with the square of the condition.
    """
    rng = np.random.default_rng(1)
    kept, sizes, condition = Kept(JITTER[np.dtype(float)]), set(), 0.0
    for state in wander(kept, rng, 1000, close):
        n, matrix = state.n, state.matrix()
        sizes.add(n)
        R = triangle(state.factor, n)
        assert np.abs(R.T @ R - matrix).max() < 1e-13
        condition = max(condition, np.linalg.cond(matrix))
    assert max(sizes) == CAPACITY - 1 and min(sizes) < 4
    assert close > 1e-4 or condition > 1e7


@pytest.mark.parametrize("close", [0.1, 1e-4, 0.0])
def test_projections_after_many_moves(close: float) -> None:
    """d = K^-1 k against numpy: the part in the span, and d as far as it is determined."""
    rng = np.random.default_rng(2)
    kept = Kept(JITTER[np.dtype(float)])
    for state in wander(kept, rng, 500, close):
        k = state.values(rng.normal(scale=4.0, size=2))
        d = k.copy()
        first(state.factor, state.n, d)
        spanned = float(d @ d)
        second(state.factor, state.n, d)
        matrix = state.matrix()
        exact = np.linalg.solve(matrix, k)
        # A matrix wrong by a few ulps changes k'd by as much times the square of |d|.
        slack = 1e-14 * max(1.0, np.abs(exact).sum()) ** 2
        assert spanned == pytest.approx(float(k @ exact), abs=slack)
        np.testing.assert_allclose(matrix @ d, k, rtol=0, atol=1e-12 * max(1.0, np.abs(d).max()))
        limit = 1e-14 * np.linalg.cond(matrix) * max(1.0, np.abs(exact).max())
        np.testing.assert_allclose(d, exact, rtol=0, atol=limit)


def test_removing_what_was_appended_restores_the_factor() -> None:
    rng = np.random.default_rng(4)
    kept = Kept(1e-8)
    for _ in range(8):
        kept.append(rng.normal(size=2))
    before = triangle(kept.factor, 8)
    kept.append(rng.normal(size=2))
    kept.remove(8)
    np.testing.assert_array_equal(triangle(kept.factor, 8), before)


def test_places_by_age() -> None:
    born = np.array([30, 5, 12, 40, 7, 0])
    out = np.full(6, np.nan)
    places(born, 5, out)
    assert out[:5].tolist() == [3, 0, 2, 4, 1]
    assert np.isnan(out[5])
