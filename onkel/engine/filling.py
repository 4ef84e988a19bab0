"""How the values of a block come into its workspace: tile by tile, in as many threads as are allowed.

A block is cut into tiles of some vectors each, whatever the threads: every value is computed in the same way on
one as on many. An explicit map is not cut; see :mod:`onkel.engine.ahead`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from onkel.compiled.pointers import Pointer
from onkel.engine.walk import Block
from onkel.model.state import workspace_pointer
from onkel.model.tile import TILE, Tile, width_of_tiles
from onkel.parallel.crew import allowed_threads, is_worth_sharing, share

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


def tiles_of(block: Block, n: int) -> list[Tile]:
    """A block with n vectors in pieces: tiles of vectors, and one of the rows among each other."""
    width = width_of_tiles(n)
    tiles = [
        Tile(block.first, block.rows, begin, min(begin + width, n), False)
        for begin in range(0, n, width)
    ]
    return [*tiles, Tile(block.first, block.rows, n, n, True)]


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
        """A workspace that has the values of the block with the first n vectors of a store."""
        kernel, rows, workspace = self._first
        self._fill(kernel, store, rows, Tile(block.first, block.rows, 0, n, True), workspace)
        return workspace


class InTiles(Filling):
    """The same for a kernel; threads share the tiles of a block, if there are several and it is large."""

    def __init__(self, fill: Any, desk: Desk) -> None:
        super().__init__(fill, desk)
        self._desks = [desk]
        self._effort = width_of(desk.rows) + FUNCTION

    def of(self, block: Block, store: Any, n: int) -> Pointer:
        size = block.rows * n * self._effort
        if n <= TILE or not is_worth_sharing(size) or allowed_threads() == 1:
            return super().of(block, store, n)  # compiled code cuts it by itself, in the same way

        def work(tile: Tile) -> None:
            desk = self._take_desk()
            self._fill(desk.kernel, store, desk.rows, tile, desk.workspace)
            self._desks.append(desk)

        share(work, tiles_of(block, n), size)
        return self._first.workspace

    def _take_desk(self) -> Desk:
        try:
            return self._desks.pop()
        except IndexError:
            return self._first.beside()
