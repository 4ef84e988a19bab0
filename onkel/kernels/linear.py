"""x.v, the linear kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.arrays import Array
from onkel.compile import inner
from onkel.models.state import Work
from onkel.parts import as_store, products


class Linear(NamedTuple):
    r"""The linear kernel :math:`k(x, v) = x \cdot v`."""

    def evaluate(self, store: Any, rows: Any, first: int, count: int, n: int, work: Work) -> None:
        finish(products(store, rows, first, count, n, work.flat), work.kernel)
        for r in range(count):
            work.diagonal[r] = rows.norms[first + r]
        if work.inner_kernel.size > 0:
            block = as_store(rows, first, count)
            finish(products(block, rows, first, count, count, work.flat), work.inner_kernel)


@inner
def finish(raw: Array, kernel: Any) -> None:
    for r in range(raw.shape[0]):
        for i in range(raw.shape[1]):
            kernel[r, i] = raw[r, i]
