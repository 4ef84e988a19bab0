"""x.v, the linear kernel."""

from __future__ import annotations

from typing import NamedTuple

from onkel.compile import inner
from onkel.parts import as_store, products


class Linear(NamedTuple):
    r"""The linear kernel :math:`k(x, v) = x \cdot v`."""

    def evaluate(self, store, rows, first, count, n, work):
        finish(products(store, rows, first, count, n, work.flat), work.kernel)
        for r in range(count):
            work.diagonal[r] = rows.norms[first + r]
        if work.inner_kernel.size > 0:
            block = as_store(rows, first, count)
            finish(products(block, rows, first, count, count, work.flat), work.inner_kernel)


@inner
def finish(raw, kernel):
    for r in range(raw.shape[0]):
        for i in range(raw.shape[1]):
            kernel[r, i] = raw[r, i]
