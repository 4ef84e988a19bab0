"""(gamma x.v + coef0)^degree."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.model.questions import as_store, products
from onkel.model.state import Workspace


class Polynomial(NamedTuple):
    r"""The polynomial kernel :math:`k(x, v) = (\gamma\, x \cdot v + c_0)^{degree}`."""

    gamma: float
    degree: int
    coef0: float

    def evaluate(
        self, store: Any, rows: Any, first: int, count: int, n: int, workspace: Workspace
    ) -> None:
        raw = products(store, rows, first, count, n, workspace.buffer)
        finish(self, raw, workspace.values)
        for r in range(count):
            workspace.diagonal[r] = power(
                self.gamma * rows.norms[first + r] + self.coef0, self.degree
            )
        if workspace.block_values.size > 0:
            raw = products(
                as_store(rows, first, count), rows, first, count, count, workspace.buffer
            )
            finish(self, raw, workspace.block_values)


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
