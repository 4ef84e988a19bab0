"""(gamma x.v + coef0)^degree."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.arrays import Array
from onkel.compile import inner
from onkel.models.state import Work
from onkel.parts import as_store, products


class Polynomial(NamedTuple):
    r"""The polynomial kernel :math:`k(x, v) = (\gamma\, x \cdot v + c_0)^{degree}`."""

    gamma: float
    degree: int
    coef0: float

    def evaluate(self, store: Any, rows: Any, first: int, count: int, n: int, work: Work) -> None:
        raw = products(store, rows, first, count, n, work.flat)
        finish(self, raw, work.kernel)
        for r in range(count):
            work.diagonal[r] = power(self.gamma * rows.norms[first + r] + self.coef0, self.degree)
        if work.inner_kernel.size > 0:
            raw = products(as_store(rows, first, count), rows, first, count, count, work.flat)
            finish(self, raw, work.inner_kernel)


@inner
def power(base: float, degree: Any) -> Any:
    result = base * 0 + 1
    for _ in range(degree):
        result *= base
    return result


@inner
def finish(kernel: Any, raw: Array, out: Array) -> None:
    gamma, coef0 = raw.dtype.type(kernel.gamma), raw.dtype.type(kernel.coef0)
    count, n = raw.shape
    for r in range(count):
        for i in range(n):
            out[r, i] = power(gamma * raw[r, i] + coef0, kernel.degree)
