"""exp(-gamma |x - v|^2), the Gaussian kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.compiled.simd import fast_exp
from onkel.compiled.views import rows_between
from onkel.model.questions import as_store, chebyshev, products
from onkel.model.state import Workspace


class Rbf(NamedTuple):
    r"""The Gaussian kernel :math:`k(x, v) = e^{-\gamma \|x - v\|^2}`."""

    gamma: float

    def evaluate(
        self, store: Any, rows: Any, first: int, count: int, n: int, workspace: Workspace
    ) -> None:
        compare(
            self.gamma,
            store,
            rows,
            first,
            count,
            n,
            workspace.buffer,
            workspace.values,
            workspace.distances,
        )
        for r in range(count):
            workspace.diagonal[r] = 1.0
        if workspace.block_values.size > 0:
            block, flat, gaps = (
                as_store(rows, first, count),
                workspace.buffer,
                workspace.block_distances,
            )
            compare(
                self.gamma, block, rows, first, count, count, flat, workspace.block_values, gaps
            )


class RbfInBoxes(NamedTuple):
    """The Gaussian kernel, with largest coordinate differences beside its values: for cube cells."""

    gamma: float

    def evaluate(
        self, store: Any, rows: Any, first: int, count: int, n: int, workspace: Workspace
    ) -> None:
        nothing, flat = workspace.distances[:0], workspace.buffer
        compare(self.gamma, store, rows, first, count, n, flat, workspace.values, nothing)
        if workspace.distances.size > 0:  # a workspace for scoring has no room for them
            chebyshev(store, rows, first, count, n, workspace.distances)
        for r in range(count):
            workspace.diagonal[r] = 1.0
        if workspace.block_values.size > 0:
            block = as_store(rows, first, count)
            compare(
                self.gamma, block, rows, first, count, count, flat, workspace.block_values, nothing
            )
            if workspace.block_distances.size > 0:
                chebyshev(block, rows, first, count, count, workspace.block_distances)


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
