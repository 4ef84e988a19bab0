"""How the values of a block come into its workspace.

Here by one thread. By several the values of a kernel come in tiles, see :mod:`onkel.engine.tiles`, and the features
of an explicit map in blocks, see :mod:`onkel.engine.ahead`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from onkel.compiled.pointers import Pointer
from onkel.engine.walk import Block
from onkel.model.state import workspace_pointer
from onkel.model.tile import Tile

#: Multiplications of a matrix product in whose time one of a sparse row is done, and one function of a kernel.
SPARSE, FUNCTION = 4, 16


class Desk(NamedTuple):
    """What one thread evaluates with: nobody else writes there."""

    kernel: Any
    rows: Any
    workspace: Pointer

    def beside(self) -> Desk:
        """A desk for another thread, which fills the same workspace."""
        workspace = self.workspace.arrays
        room = workspace._replace(buffer=zeros_as_large(workspace.buffer))
        return Desk(self.kernel, with_scratch_of_its_own(self.rows), workspace_pointer(*room))


def with_scratch_of_its_own(rows: Any) -> Any:
    """The same rows for another thread."""
    if "scratch" not in rows._fields:
        return rows
    return rows._replace(scratch=zeros_as_large(rows.scratch))


def zeros_as_large(array: np.ndarray) -> np.ndarray:
    """Zeros of the same shape, in memory that costs nothing where it is not used."""
    return np.zeros(array.shape, array.dtype)


def width_of(rows: Any) -> float:
    """Features of a row, in multiplications of a matrix product for each vector."""
    if isinstance(rows, np.ndarray):
        return rows.shape[1]
    if hasattr(rows, "x"):
        return rows.x.shape[1]
    return SPARSE * len(rows.data) / max(1, len(rows.indptr) - 1)


class Filling:
    """Evaluates one block after the other into one workspace, each as a whole."""

    def __init__(self, fill: Any, desk: Desk) -> None:
        self._fill, self._first = fill, desk

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        pass

    def of(self, block: Block, store: Any, n: int) -> Pointer:
        """A workspace that has the values of the block with the first n vectors of a store, until the next is asked
        for."""
        kernel, rows, workspace = self._first
        self._fill(kernel, store, rows, Tile(block.first, block.rows, 0, n, True), workspace)
        return workspace

    def walked(self, walk: Callable[[], int]) -> int:
        """What this walk of the block that was asked for last returns, in whichever thread it goes."""
        return walk()

    def expect_change(self, slots: np.ndarray) -> None:
        """These slots of the store will have other vectors: go on when nobody looks at them, and will not before the
        next block."""
