"""Kernel values of any rows with some vectors as a matrix, by the loops that learners use."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from onkel.engine import layout as kinds
from onkel.engine.filling import FUNCTION, width_of
from onkel.engine.machine import BLOCK_ROWS
from onkel.engine.walk import fill
from onkel.engine.workspace import new_workspace
from onkel.kernels.geometry import CITY_BLOCK, for_blocks, geometry_of, is_part, is_shift_invariant
from onkel.kernels.given import answered
from onkel.model.questions import compiled_for
from onkel.model.state import workspace_pointer
from onkel.model.tile import Tile
from onkel.parallel.crew import share

#: Rows that a thread compares before it takes others.
ROWS_AT_ONCE = 4 * BLOCK_ROWS


class KernelMatrix:
    """A function from rows, dense or CSR, to their kernel values with the rows of V (n x m)."""

    def __init__(self, kernel: Any, V: Any) -> None:
        self.kernel, self.V = kernel, V
        self._city_block = geometry_of(kernel) == CITY_BLOCK
        moved = is_shift_invariant(kernel) and not sparse.issparse(V)
        self._offset = np.median(V, axis=0).astype(V.dtype) if moved else None

    def __call__(self, X: Any) -> np.ndarray:
        V, dtype = self.V, np.result_type(X.dtype, self.V.dtype)
        if not is_part(self.kernel):
            return answered(self.kernel, X, V, dtype)
        layout = "pool" if sparse.issparse(V) and kinds.is_large(V) else "columns"
        if not sparse.issparse(X) and not sparse.issparse(V):
            layout = "dense"
            if self._offset is not None:
                X, V = X - self._offset, V - self._offset
        V = V.astype(dtype, copy=False)
        store = kinds.store_of(V, layout, kinds.norms_of(V, self._city_block))
        return self._filled(kinds.as_layout(X, layout, dtype), store, layout)

    def gram(self) -> np.ndarray:
        """The values of V with itself."""
        return self(self.V)

    def _filled(self, X: Any, store: Any, layout: str) -> np.ndarray:
        kernel, n = for_blocks(self.kernel, X.dtype), self.V.shape[0]
        out = np.empty((X.shape[0], n), X.dtype)
        compare = compiled_for(fill, kernel)

        def work(first: int) -> None:
            part = X[first : first + ROWS_AT_ONCE]
            rows = kinds.rows_of(part, layout, kinds.norms_of(part, self._city_block), 1)
            self._fill_rows(compare, kernel, store, rows, out[first : first + ROWS_AT_ONCE])

        size = X.shape[0] * n * (width_of(X) + FUNCTION)
        share(work, range(0, X.shape[0], ROWS_AT_ONCE), size)
        return out

    def _fill_rows(self, compare: Any, kernel: Any, store: Any, rows: Any, out: np.ndarray) -> None:
        n, block = out.shape[1], max(1, min(BLOCK_ROWS, len(out)))
        workspace = new_workspace(block, n, out.dtype)
        pointer = workspace_pointer(*workspace)
        for first in range(0, len(out), block):
            count = min(block, len(out) - first)
            compare(kernel, store, rows, Tile(first, count, 0, n, False), pointer)
            out[first : first + count] = workspace.values[:count]
