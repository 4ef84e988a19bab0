"""The values of a kernel for a block, in tiles that threads share.

A block is cut into tiles of some vectors each, whatever the threads: every value is computed in the same way on
one as on many. While the walk is at a block, helpers begin the tiles of the next one. A walk changes only some of
the vectors, often those of one or two tiles: these are evaluated again, and the rest is there.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from onkel.compiled.pointers import Pointer
from onkel.engine.filling import FUNCTION, Desk, Filling, width_of, zeros_as_large
from onkel.engine.walk import Block
from onkel.model.state import Workspace, workspace_pointer
from onkel.model.tile import TILE, Tile, width_of_tiles
from onkel.parallel.crew import Job, allowed_threads, is_worth_sharing

#: What a block has of a workspace for itself while another is walked.
OF_A_BLOCK = ("values", "distances", "block_values", "block_distances", "diagonal")


def workspace_beside(workspace: Workspace) -> Workspace:
    """A workspace for another block than the one that is walked; it shares the rest."""
    own = {name: zeros_as_large(getattr(workspace, name)) for name in OF_A_BLOCK}
    return workspace._replace(**own)


def tiles_of(block: Block, n: int) -> list[Tile]:
    """A block with n vectors in pieces: tiles of vectors, and one of the rows among each other."""
    width = width_of_tiles(n)
    tiles = [
        Tile(block.first, block.rows, begin, min(begin + width, n), False)
        for begin in range(0, n, width)
    ]
    return [*tiles, Tile(block.first, block.rows, 0, 0, True)]


def may_be_shared(rows: Any, n_rows: int, capacity: int) -> bool:
    """Whether threads should share the tiles of blocks of so many rows, once there are as many vectors as there can
    be."""
    return is_worth_cutting(n_rows, capacity, effort_of(rows)) and allowed_threads() > 1


def is_worth_cutting(n_rows: int, n: int, effort: float) -> bool:
    return n > TILE and is_worth_sharing(n_rows * n * effort)


def effort_of(rows: Any) -> float:
    """Multiplications for a kernel value."""
    return width_of(rows) + FUNCTION


class InTiles(Filling):
    """Evaluates one block after the other into two workspaces in turn, ahead of who asks for them in order."""

    def __init__(self, fill: Any, desks: tuple[Desk, Desk], n_rows: int) -> None:
        super().__init__(fill, desks[0])
        self._n_rows, self._effort = n_rows, effort_of(desks[0].rows)
        self._block_rows = len(desks[0].workspace.arrays.values)
        self._desks, self._free = desks, [desks]  # a thread needs one for each of both workspaces
        self._helpers = allowed_threads() - 1
        self._job = Job(self._evaluate, self._helpers)
        self._store, self._n, self._width = None, 0, 1
        self._turns: dict[int, int] = {}  # which workspace is for the block that begins at a row
        self._ahead: set[Tile] = set()  # those of the next block that somebody may have begun
        self._changed: set[int] = (
            set()
        )  # numbers of the tiles that the last walk changed: a hint, no more

    def __enter__(self) -> Self:
        self._job.__enter__()
        return self

    def __exit__(self, *reason: object) -> None:
        self._job.__exit__(*reason)

    def of(self, block: Block, store: Any, n: int) -> Pointer:
        if not is_worth_cutting(block.rows, n, self._effort):
            self._withdraw(self._ahead)
            return super().of(block, store, n)
        tiles = tiles_of(block, n)
        self._withdraw(self._ahead.difference(tiles))
        left = [tile for tile in tiles if tile not in self._ahead]
        as_before = n == self._n
        self._store, self._n, self._width = store, n, width_of_tiles(n)
        turn = self._turns.get(block.first, 0)
        self._turns = {block.first: turn, block.first + block.rows: 1 - turn}
        self._job.add(left, self._helpers)
        self._begin(block.first + block.rows, as_before)
        for tile in tiles:
            self._job.finish(tile)
        return self._desks[turn].workspace

    def expect_change(self, slots: np.ndarray) -> None:
        self._changed = set((slots // self._width).tolist())
        vectors = [tile for tile in self._ahead if not tile.inside]
        self._withdraw({tile for tile in vectors if tile.begin // self._width in self._changed})

    def _begin(self, first: int, as_before: bool) -> None:
        """Let helpers begin with the next block: where nothing changed of late, if there are as many vectors as
        before, and where no vector matters."""
        rows = min(self._block_rows, self._n_rows - first)
        self._ahead.clear()
        if is_worth_cutting(rows, self._n, self._effort):
            *tiles, inside = tiles_of(Block(first, rows), self._n)
            quiet = [tile for k, tile in enumerate(tiles) if as_before and k not in self._changed]
            self._ahead.update(quiet, [inside])
            self._job.add([*quiet, inside], self._helpers)

    def _withdraw(self, tiles: set[Tile]) -> None:
        """What helpers may have made of these tiles is not wanted."""
        if not tiles.isdisjoint(self._ahead):
            self._job.withdraw(tiles)
            self._ahead = self._ahead - tiles

    def _evaluate(self, tile: Tile) -> None:
        try:
            desks = self._free.pop()
        except IndexError:
            desks = for_another_thread(self._desks)
        desk = desks[self._turns[tile.first]]
        self._fill(desk.kernel, self._store, desk.rows, tile, desk.workspace)
        self._free.append(desks)


def for_another_thread(desks: tuple[Desk, Desk]) -> tuple[Desk, Desk]:
    """Desks for the same two workspaces, with room of their own for what is worked out on the way."""
    here, there = desks
    mine = here.beside()
    workspace = there.workspace.arrays._replace(buffer=mine.workspace.arrays.buffer)
    return mine, mine._replace(workspace=workspace_pointer(*workspace))
