"""x.v, the linear kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.model.questions import as_store, products
from onkel.model.state import Workspace


class Linear(NamedTuple):
    r"""The linear kernel :math:`k(x, v) = x \cdot v`."""

    def evaluate(
        self, store: Any, rows: Any, first: int, count: int, n: int, workspace: Workspace
    ) -> None:
        finish(products(store, rows, first, count, n, workspace.buffer), workspace.values)
        for r in range(count):
            workspace.diagonal[r] = rows.norms[first + r]
        if workspace.block_values.size > 0:
            block = as_store(rows, first, count)
            finish(
                products(block, rows, first, count, count, workspace.buffer), workspace.block_values
            )


@inner
def finish(raw: Array, kernel: Any) -> None:
    for r in range(raw.shape[0]):
        for i in range(raw.shape[1]):
            kernel[r, i] = raw[r, i]
