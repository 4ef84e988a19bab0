"""Features of an explicit map do not depend on what is learned: those of the next blocks are evaluated while the walk
is at this one.

Every block has a workspace of its own for its features, and shares the rest of it with the others. Whoever needs a
block that nobody has begun evaluates it itself: so no thread is idle while there is a block to evaluate, nor
does anything depend on which thread is sooner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from onkel.compiled.pointers import Pointer
from onkel.engine.filling import Desk, Filling
from onkel.engine.walk import Block
from onkel.model.tile import Tile
from onkel.parallel.crew import Job, allowed_threads, is_worth_sharing


class Ahead(Filling):
    """Evaluates the blocks of a chunk with n features, some ahead of who asks for them in order."""

    def __init__(
        self,
        fill: Any,
        desks: list[Desk],
        store: Any,
        n: int,
        n_rows: int,
        give_back: Callable[[list[Desk]], None],
    ) -> None:
        super().__init__(fill, desks[0])
        self._store, self._n, self._n_rows = store, n, n_rows
        self._block_rows = desks[0].workspace.arrays.values.shape[0]
        self._lent, self._give_back = desks[1:], give_back
        self._free, self._next = desks, 0
        self._begun: dict[Tile, Desk] = {}
        self._helpers = len(desks) - 2
        self._job = Job(self._evaluate, self._helpers)

    def __enter__(self) -> Self:
        self._job.__enter__()
        return self

    def __exit__(self, *reason: object) -> None:
        self._job.__exit__(*reason)
        self._give_back(self._lent)

    def of(self, block: Block, store: Any, n: int) -> Pointer:
        """A workspace that has the features of the block, until the next is asked for."""
        tile = Tile(block.first, block.rows, 0, n, True)
        for done in [other for other in self._begun if other.first < block.first]:
            self._free.append(self._begun.pop(done))
        if tile not in self._begun:
            self._start_at(block.first)
        self._begin_more()
        self._job.finish(tile)
        return self._begun[tile].workspace

    def _start_at(self, first: int) -> None:
        """Begin elsewhere than after the last block that was begun."""
        self._job.drop()
        self._free += self._begun.values()
        self._begun.clear()
        self._next = first

    def _begin_more(self) -> None:
        while self._free and self._next < self._n_rows:
            rows = min(self._block_rows, self._n_rows - self._next)
            tile = Tile(self._next, rows, 0, self._n, True)
            self._begun[tile] = self._free.pop()
            self._next += rows
            self._job.add([tile], self._helpers)

    def _evaluate(self, tile: Tile) -> None:
        desk = self._begun[tile]
        self._fill(desk.kernel, self._store, desk.rows, tile, desk.workspace)


def desks_ahead(n_rows: int, block_rows: int, multiplications: float) -> int:
    """How many desks serve to evaluate some rows: one, or as many as there are threads and one for the walk."""
    worth = n_rows > block_rows and is_worth_sharing(block_rows * multiplications)
    n_threads = allowed_threads() if worth else 1
    return n_threads + 1 if n_threads > 1 else 1
