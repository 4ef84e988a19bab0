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
        raw = products(store, rows, first, count, n, work.flat)
        finish(
            self.gamma,
            raw,
            rows_between(rows.norms, first, count),
            store.norms,
            work.kernel,
            work.distances,
        )
        for r in range(count):
            work.diagonal[r] = 1.0
        if work.inner_kernel.size > 0:
            block = as_store(rows, first, count)
            raw = products(block, rows, first, count, count, work.flat)
            finish(
                self.gamma,
                raw,
                rows_between(rows.norms, first, count),
                block.norms,
                work.inner_kernel,
                work.inner_distances,
            )


class RbfInBoxes(NamedTuple):
    """The Gaussian kernel, with largest coordinate differences beside its values: for cube cells."""

    gamma: float

    def evaluate(self, store: Any, rows: Any, first: int, count: int, n: int, work: Work) -> None:
        raw = products(store, rows, first, count, n, work.flat)
        nothing = work.distances[:0]
        finish(
            self.gamma,
            raw,
            rows_between(rows.norms, first, count),
            store.norms,
            work.kernel,
            nothing,
        )
        if work.distances.size > 0:  # a sheet for scoring has no room for them
            chebyshev(store, rows, first, count, n, work.distances)
        for r in range(count):
            work.diagonal[r] = 1.0
        if work.inner_kernel.size > 0:
            block = as_store(rows, first, count)
            raw = products(block, rows, first, count, count, work.flat)
            finish(
                self.gamma,
                raw,
                rows_between(rows.norms, first, count),
                block.norms,
                work.inner_kernel,
                nothing,
            )
            if work.inner_distances.size > 0:
                chebyshev(block, rows, first, count, count, work.inner_distances)


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
