"""exp(-gamma |x - v|^2), the Gaussian kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.arrays import Array
from onkel.compile import inner
from onkel.kernels.simd import fast_exp
from onkel.models.state import Work
from onkel.parts import as_store, chebyshev, products
from onkel.views import rows_between


class Rbf(NamedTuple):
    r"""The Gaussian kernel :math:`k(x, v) = e^{-\gamma \|x - v\|^2}`."""

    gamma: float

    def evaluate(self, store: Any, rows: Any, first: int, count: int, n: int, work: Work) -> None:
        compare(self.gamma, store, rows, first, count, n, work.flat, work.kernel, work.distances)
        for r in range(count):
            work.diagonal[r] = 1.0
        if work.inner_kernel.size > 0:
            block, flat, gaps = as_store(rows, first, count), work.flat, work.inner_distances
            compare(self.gamma, block, rows, first, count, count, flat, work.inner_kernel, gaps)


class RbfInBoxes(NamedTuple):
    """The Gaussian kernel, with largest coordinate differences beside its values: for cube cells."""

    gamma: float

    def evaluate(self, store: Any, rows: Any, first: int, count: int, n: int, work: Work) -> None:
        nothing, flat = work.distances[:0], work.flat
        compare(self.gamma, store, rows, first, count, n, flat, work.kernel, nothing)
        if work.distances.size > 0:  # a sheet for scoring has no room for them
            chebyshev(store, rows, first, count, n, work.distances)
        for r in range(count):
            work.diagonal[r] = 1.0
        if work.inner_kernel.size > 0:
            block = as_store(rows, first, count)
            compare(self.gamma, block, rows, first, count, count, flat, work.inner_kernel, nothing)
            if work.inner_distances.size > 0:
                chebyshev(block, rows, first, count, count, work.inner_distances)


@inner
def compare(
    gamma: float, store: Any, rows: Any, first: int, count: int, n: int,
    flat: Array, kernel: Array, distances: Array,
) -> None:  # fmt: skip
    """Kernel values, and squared distances where there is room, of rows and the first n vectors."""
    raw = products(store, rows, first, count, n, flat)
    finish(gamma, raw, rows_between(rows.norms, first, count), store.norms, kernel, distances)


@inner
def finish(
    gamma: float, raw: Array, row_norms: Array, norms: Array, kernel: Any, distances: Array
) -> None:
    """Inner products to squared distances, clipped at 0, to kernel values."""
    rate = raw.dtype.type(-gamma)
    two, zero = raw.dtype.type(2), raw.dtype.type(0)
    count, n = raw.shape
    for r in range(count):
        inner, out, own = raw[r], kernel[r], row_norms[r]
        if distances.size > 0:
            gaps = distances[r]
            for i in range(n):
                gap = own + norms[i] - two * inner[i]
                gaps[i] = gap if gap > zero else zero
            for i in range(n):
                out[i] = fast_exp(rate * gaps[i])
        else:
            for i in range(n):
                gap = own + norms[i] - two * inner[i]
                out[i] = fast_exp(rate * (gap if gap > zero else zero))
