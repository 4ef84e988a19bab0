"""The kept inverse of the Gram matrix against numpy.linalg, through long series of moves."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from onkel.budgets.inverse import (
    append_inverse,
    column_of_inverse,
    move_inverse,
    multiply_inverse,
    refresh_inverse,
    remove_inverse,
)
from onkel.compile import OPTIONS
from onkel.learners.bsgd import JITTER

CAPACITY, GAMMA = 24, 0.5


@numba.njit(**OPTIONS)
def multiply(inverse, n, x, out):
    multiply_inverse(inverse, n, x, out)


@numba.njit(**OPTIONS)
def append(inverse, n, projection, residual):
    append_inverse(inverse, n, projection, residual)


@numba.njit(**OPTIONS)
def drop(inverse, n, slot, column):
    """As ProjectSmallest does: one vector goes, and the last one takes its slot."""
    column_of_inverse(inverse, n, slot, column)
    remove_inverse(inverse, n, slot, column)
    move_inverse(inverse, n - 1, slot)


@numba.njit(**OPTIONS)
def refresh(inverse, gram, n, jitter):
    refresh_inverse(inverse, gram, n, jitter)


def whole(lower: np.ndarray, n: int) -> np.ndarray:
    part = np.tril(lower[:n, :n])
    return part + np.tril(part, -1).T


class Kept:
    """A Gram matrix and its kept inverse; NaN wherever nothing may be read."""

    def __init__(self, jitter: float, refresh_after: int) -> None:
        self.inverse = np.full((CAPACITY, CAPACITY), np.nan)
        self.gram = np.full((CAPACITY, CAPACITY), np.nan)
        self.points = np.empty((0, 2))
        self.jitter, self.refresh_after, self.removals = jitter, refresh_after, 0

    @property
    def n(self) -> int:
        return len(self.points)

    def append(self, point: np.ndarray) -> None:
        n, known = self.n, np.exp(-GAMMA * ((self.points - point) ** 2).sum(axis=1))
        projection = np.zeros(CAPACITY)
        multiply(self.inverse, n, np.append(known, np.zeros(CAPACITY - n)), projection)
        gap = 1.0 + self.jitter - known @ projection[:n]
        append(self.inverse, n, projection, max(gap, self.jitter))
        self.gram[n, :n] = self.gram[:n, n] = known
        self.gram[n, n] = 1.0
        self.points = np.vstack([self.points, point])

    def remove(self, slot: int) -> None:
        drop(self.inverse, self.n, slot, np.zeros(CAPACITY))
        last = self.n - 1
        self.gram[slot, :last], self.gram[:last, slot] = self.gram[last, :last], self.gram[:last, last]
        self.gram[slot, slot] = 1.0
        self.points[slot] = self.points[last]
        self.points = self.points[:last]
        self.removals += 1
        if self.removals >= self.refresh_after:
            refresh(self.inverse, self.gram, self.n, self.jitter)
            self.removals = 0

    def exact(self) -> np.ndarray:
        gaps = self.points[:, None] - self.points[None]
        return np.linalg.inv(np.exp(-GAMMA * (gaps**2).sum(axis=2)) + self.jitter * np.eye(self.n))


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
def test_product_with_a_vector(n: int) -> None:
    rng = np.random.default_rng(n)
    matrix = rng.normal(size=(n, n))
    matrix = matrix + matrix.T
    lower = np.full((CAPACITY, CAPACITY), np.nan)  # the upper triangle must not be read
    lower[:n, :n] = np.where(np.tri(n, dtype=bool), matrix, np.nan)
    x, out = rng.normal(size=CAPACITY), np.full(CAPACITY, np.nan)
    multiply(lower, n, x, out)
    np.testing.assert_allclose(out[:n], matrix @ x[:n], rtol=1e-13, atol=1e-13)
    assert np.isnan(out[n:]).all()


def test_a_thousand_moves_without_a_refresh() -> None:
    """Vectors a tenth apart at the closest: conditions of some hundreds, so little rounding piles up."""
    rng = np.random.default_rng(0)
    kept = Kept(jitter=1e-3, refresh_after=10**9)
    sizes = set()
    for state in wander(kept, rng, 1000, close=0.1):
        sizes.add(state.n)
        exact = state.exact()
        error = np.abs(whole(state.inverse, state.n) - exact).max()
        assert error < 1e-9 * np.abs(exact).max()
    assert max(sizes) == CAPACITY - 1 and min(sizes) < 4


@pytest.mark.parametrize("close", [1e-2, 1e-4, 0.0])
def test_a_thousand_moves_among_near_duplicates(close: float) -> None:
    """With the jitter that learners use and a refresh every 64 removals, as the budget does.

    What a projection uses is K @ inverse @ k, a fraction of its input however K is conditioned.
    Errors go with the square of the condition times 1e-16: a jitter of 1e-10 ends in infinities.
    """
    rng = np.random.default_rng(1)
    kept = Kept(jitter=JITTER[np.dtype(float)], refresh_after=64)
    worst = 0.0
    for state in wander(kept, rng, 1000, close):
        n = state.n
        matrix = state.gram[:n, :n] + state.jitter * np.eye(n)
        k = np.exp(-GAMMA * ((state.points - rng.normal(scale=4.0, size=2)) ** 2).sum(axis=1))
        d = whole(state.inverse, n) @ k
        assert np.isfinite(d).all()
        worst = max(worst, np.abs(matrix @ d - k).max())
    assert worst < 1e-5


def test_the_refresh_wipes_out_what_went_wrong() -> None:
    rng = np.random.default_rng(2)
    kept = Kept(jitter=1e-6, refresh_after=10**9)
    for _ in range(10):
        kept.append(rng.normal(size=2))
    kept.inverse[:10, :10] *= 1.001
    refresh(kept.inverse, kept.gram, 10, kept.jitter)
    np.testing.assert_allclose(whole(kept.inverse, 10), kept.exact(), rtol=1e-6)


def test_the_jitter_of_the_refresh_is_relative_to_the_diagonal() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(5, 8)) * np.array([1, 10, 100, 1, 1])[:, None]
    gram = vectors @ vectors.T
    inverse = np.zeros((5, 5))
    refresh(inverse, gram, 5, 0.25)
    np.testing.assert_allclose(
        whole(inverse, 5), np.linalg.inv(gram + 0.25 * np.diag(np.diag(gram))), rtol=1e-9
    )


def test_removing_what_was_appended_restores_the_inverse() -> None:
    rng = np.random.default_rng(4)
    kept = Kept(jitter=1e-3, refresh_after=10**9)
    for _ in range(8):
        kept.append(rng.normal(size=2))
    before = whole(kept.inverse, 8)
    kept.append(rng.normal(size=2))
    kept.remove(8)
    np.testing.assert_allclose(whole(kept.inverse, 8), before, rtol=1e-9, atol=1e-12)
