"""exp(-gamma |x - v|_1), the Laplacian kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.compiled.simd import fast_exp
from onkel.model.questions import as_store, manhattan
from onkel.model.state import Workspace


class Laplacian(NamedTuple):
    r"""The Laplacian kernel :math:`k(x, v) = e^{-\gamma \|x - v\|_1}`."""

    gamma: float

    def evaluate(
        self, store: Any, rows: Any, first: int, count: int, n: int, workspace: Workspace
    ) -> None:
        raw = manhattan(store, rows, first, count, n, workspace.buffer)
        finish(self.gamma, raw, workspace.values)
        for r in range(count):
            workspace.diagonal[r] = 1.0
        if workspace.block_values.size > 0:
            block = as_store(rows, first, count)
            raw = manhattan(block, rows, first, count, count, workspace.buffer)
            finish(self.gamma, raw, workspace.block_values)


@inner
def finish(gamma: float, raw: Array, kernel: Any) -> None:
    rate = raw.dtype.type(-gamma)
    count, n = raw.shape
    for r in range(count):
        gaps, out = raw[r], kernel[r]
        for i in range(n):
            out[i] = fast_exp(rate * gaps[i])
