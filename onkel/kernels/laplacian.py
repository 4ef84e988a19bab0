"""exp(-gamma |x - v|_1), the Laplacian kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.arrays import Array
from onkel.compile import inner
from onkel.kernels.simd import fast_exp
from onkel.models.state import Work
from onkel.parts import as_store, manhattan


class Laplacian(NamedTuple):
    r"""The Laplacian kernel :math:`k(x, v) = e^{-\gamma \|x - v\|_1}`."""

    gamma: float

    def evaluate(self, store: Any, rows: Any, first: int, count: int, n: int, work: Work) -> None:
        raw = manhattan(store, rows, first, count, n, work.flat)
        finish(self.gamma, raw, work.kernel)
        for r in range(count):
            work.diagonal[r] = 1.0
        if work.inner_kernel.size > 0:
            block = as_store(rows, first, count)
            raw = manhattan(block, rows, first, count, count, work.flat)
            finish(self.gamma, raw, work.inner_kernel)


@inner
def finish(gamma: float, raw: Array, kernel: Any) -> None:
    rate = raw.dtype.type(-gamma)
    count, n = raw.shape
    for r in range(count):
        gaps, out = raw[r], kernel[r]
        for i in range(n):
            out[i] = fast_exp(rate * gaps[i])
