"""Maps: random Fourier features, an explicit space whose inner product is nearly a kernel.

A shift-invariant kernel is the Fourier transform of a density; with ``u_1..u_D`` drawn from it

    z(x) = (sin Ux, cos Ux) / sqrt(D),   z(x) . z(y) = (1/D) sum_j cos(u_j . (x - y))  ~  k(x - y),

and ``|z(x)| = 1`` exactly. A kernel that is the mean of exp(-s g) over random rates s has frequencies
``sqrt(2 s_j) n_j``, n_j normal, where g is the squared distance, and ``s_j c_j``, every coordinate of c_j a
Cauchy number, where g is the city-block distance. The draws belong to (seed, feature index), those of the
rates to the seed alone: they do not depend on when a feature is met, nor on how many there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from threading import Lock
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike, NDArray

from onkel.compiled.decorators import jit
from onkel.compiled.draws import cauchy_column, normal_column, uniform_column
from onkel.kernels.geometry import SQUARED_DISTANCES, has_spectrum
from onkel.maps.features import sines_and_cosines

LARGEST_ORTHOGONAL = 4096
#: Rows at a time: what is between the matrix product and the sines stays in the cache.
BLOCK = 256


@jit
def _project_rows(values: Any, pool_rows: Any, starts: Any, pool: Any, block: Any) -> None:
    """``Ux`` of sparse rows, one sweep of D per non-zero."""
    for row in range(block.shape[0]):
        target = block[row]
        target[:] = 0
        for k in range(starts[row], starts[row + 1]):
            value, frequencies = values[k], pool[pool_rows[k]]
            for i in range(target.size):
                target[i] += value * frequencies[i]


@jit
def sines_and_cosines_of(turns: Any, out: Any) -> None:
    """Rows Ux to rows (sin Ux, cos Ux) / sqrt(D)."""
    sines_and_cosines(turns, 0, turns.shape[1], out)


#: Scales beyond which frequencies may have been cut off, and are no multiples of others any more.
LARGEST_SCALE = 1e15


class Frequencies:
    """The frequencies of the features met so far, drawn when a feature is first met.

    Attributes
    ----------
    pool : array (capacity, n_components), a row per known feature; the first ``size`` are in use.
    rows : int32 array (n_features,), where a feature's frequencies are in the pool, or -1.
    """

    orthogonal = False  # older files do not say

    def __init__(
        self,
        kernel: Any,
        n_components: int,
        seed: int,
        n_features: int,
        *,
        orthogonal: bool = False,
        dtype: DTypeLike = np.float64,
    ) -> None:
        if not has_spectrum(kernel):
            raise ValueError(
                f"kernel={kernel!r} has no Fourier features: they need a kernel of distances with the "
                f"method rate_quantile, see onkel.kernels.geometry."
            )
        self.kernel, self.seed, self._drawing = kernel, seed, Lock()
        self.rows: NDArray[np.int32] = np.full(n_features, -1, dtype=np.int32)
        self.pool: NDArray[Any] = np.empty((0, n_components), dtype=dtype)
        self.size = 0
        if orthogonal:
            self.orthogonal = True
            _check_orthogonal(kernel, n_features)
            self.pool = (self._scales() * _orthogonal(seed, n_features, n_components)).astype(dtype)
            self.rows, self.size = np.arange(n_features, dtype=np.int32), n_features

    @property
    def _euclidean(self) -> bool:
        return bool(self.kernel.geometry == SQUARED_DISTANCES)

    def _scales(self) -> NDArray[np.float64]:
        """What the draws of every component are multiplied by."""
        draws = np.empty(self.pool.shape[1])
        uniform_column(self.seed, 0, draws)
        rates = np.asarray(self.kernel.rate_quantile(draws), float)
        return np.sqrt(2.0 * rates) if self._euclidean else rates

    def ensure(self, features: ArrayLike) -> NDArray[np.int32]:
        """Draw what is not known yet of some features (repetitions allowed); their pool rows."""
        features = np.asarray(features)
        rows = self.rows[features]
        if (rows < 0).any():
            with self._drawing:  # readers draw, too
                self._draw(features)
            rows = self.rows[features]
        return rows

    def _draw(self, features: NDArray[Any]) -> None:
        missing = self.rows[features] < 0
        unknown = np.unique(features[missing])
        self._reserve(self.size + unknown.size)
        self.pool[self.size : self.size + unknown.size] = self.drawn(unknown.tolist())
        self.rows[unknown] = np.arange(self.size, self.size + unknown.size, dtype=np.int32)
        self.size += unknown.size

    def drawn(self, features: Sequence[int]) -> NDArray[Any]:
        """The frequencies of features by their numbers, whichever these are: (features, n_components)."""
        fill = normal_column if self._euclidean else cauchy_column
        drawn = np.empty((len(features), self.pool.shape[1]), self.pool.dtype)
        for feature, row in zip(features, drawn):
            fill(self.seed, feature, row)
        # Products with rows stay finite however large gamma is: sines of anything, no NaN.
        most = math.sqrt(float(np.finfo(drawn.dtype).max)) / 16
        with np.errstate(over="ignore"):
            drawn *= self._scales().astype(drawn.dtype)
        return np.clip(drawn, -most, most, out=drawn)

    def widened(self, n_features: int) -> Frequencies:
        """The same frequencies, and room for those of more features."""
        if self.orthogonal:
            raise ValueError(
                f"orthogonal=True draws the frequencies of {self.rows.size} features together, and the rows "
                f"have {n_features} now: set orthogonal=False for rows that get wider."
            )
        wider = copy(self)
        wider.rows = np.full(n_features, -1, dtype=np.int32)
        wider.rows[: self.rows.size] = self.rows
        return wider

    def _reserve(self, needed: int) -> None:
        capacity, n_components = self.pool.shape
        if needed > capacity:
            capacity = min(max(needed, 2 * capacity), self.rows.size)
            grown = np.empty((capacity, n_components), dtype=self.pool.dtype)
            grown[: self.size] = self.pool[: self.size]
            self.pool = grown

    def matrix(self) -> NDArray[Any]:
        """All frequencies, (n_features, n_components): the pool itself where that is in order."""
        order = np.arange(self.rows.size, dtype=np.int32)
        rows = self.ensure(order)
        return self.pool if np.array_equal(rows, order) else self.pool[rows]

    def __getstate__(self) -> dict[str, Any]:
        with self._drawing:
            state = self.__dict__.copy()
            state["rows"], state["pool"] = self.rows.copy(), self.pool[: self.size].copy()
        del state["_drawing"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._drawing = Lock()

    def is_same(self, other: Any) -> bool:
        """Whether another map has the same frequencies, also of features that only one of them has met."""
        if type(other) is not Frequencies or self.pool.dtype != other.pool.dtype:
            return False
        if (self.kernel, self.seed, self.rows.size, self.pool.shape[1]) != (
            other.kernel, other.seed, other.rows.size, other.pool.shape[1],
        ):  # fmt: skip
            return False
        known = (self.rows >= 0) & (other.rows >= 0)
        return np.array_equal(self.pool[self.rows[known]], other.pool[other.rows[known]])

    def multiple_of(self, other: Any) -> float | None:
        """How many times those of another map these frequencies are, all of them; None where that is no number.

        Kernels of one kind that differ in width alone draw the same directions.
        """
        if type(other) is not Frequencies or self.pool.dtype != other.pool.dtype:
            return None
        mine, others = (
            (m.seed, m.rows.size, m.pool.shape[1], m.orthogonal, m.kernel.geometry)
            for m in (self, other)
        )
        if mine != others:
            return None
        scales, base = self._scales(), other._scales()
        if not 0.0 < min(scales.min(), base.min()) <= max(scales.max(), base.max()) < LARGEST_SCALE:
            return None
        ratios = scales / base
        return float(ratios[0]) if np.ptp(ratios) <= 1e-14 * ratios[0] else None

    @property
    def n_map_features(self) -> int:
        return 2 * int(self.pool.shape[1])

    def features(self, X: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """z(x) of the rows of a dense or CSR matrix of the pool's type: (n, 2 n_components), in ``out`` if given."""
        n_components = self.pool.shape[1]
        z = np.empty((X.shape[0], 2 * n_components), self.pool.dtype) if out is None else out
        turns = np.empty((min(BLOCK, X.shape[0]), n_components), self.pool.dtype)
        matrix = self.dense_matrix(X)
        for start in range(0, X.shape[0], BLOCK):
            rows, block = X[start : start + BLOCK], z[start : start + BLOCK]
            some = turns[: len(block)]
            self.turns(rows, matrix, some)
            sines_and_cosines_of(some, block)
        return z

    def scores(self, X: Any, coef: NDArray[Any]) -> NDArray[Any]:
        """``z(x) @ coef``."""
        return self.features(X) @ coef

    def dense_matrix(self, X: Any) -> NDArray[Any] | None:
        """The frequencies for rows like these to be multiplied with; None for sparse ones."""
        return None if sp.issparse(X) else self.matrix()

    def turns(self, X: Any, matrix: NDArray[Any] | None, out: NDArray[Any]) -> None:
        """Ux of the rows of a dense or CSR matrix."""
        if matrix is None:
            rows = self.ensure(X.indices)
            _project_rows(X.data, rows, X.indptr.astype(np.int64), self.pool, out)
        else:
            np.matmul(X, matrix, out=out)


def _check_orthogonal(kernel: Any, n_features: int) -> None:
    if kernel.geometry != SQUARED_DISTANCES:
        raise ValueError(
            f"orthogonal=True needs a kernel of Euclidean distance, such as kernel='rbf', got {kernel!r}: "
            f"set orthogonal=False."
        )
    if n_features > LARGEST_ORTHOGONAL:
        raise ValueError(
            f"orthogonal=True needs at most {LARGEST_ORTHOGONAL} features, the data has "
            f"{n_features}: set orthogonal=False, or reduce the number of features first."
        )


def _orthogonal(seed: int, n_features: int, n_components: int) -> NDArray[np.float64]:
    """Standard normal frequencies (columns), orthogonal within blocks of ``n_features``.

    Of a Gaussian block ``G = QR`` with a positive diagonal, ``Q`` and ``R`` are independent, so
    ``Q`` with the column lengths of ``G`` (those of ``R``) has columns that are each N(0, I).
    """
    frequencies = np.empty((n_features, n_components))
    for feature in range(n_features):
        normal_column(seed, feature, frequencies[feature])
    for start in range(0, n_components, n_features):
        block = frequencies[:, start : start + n_features]
        lengths = np.linalg.norm(block, axis=0)
        q, r = np.linalg.qr(block)
        block[:] = q * np.where(np.diagonal(r) < 0, -lengths, lengths)
    return frequencies
