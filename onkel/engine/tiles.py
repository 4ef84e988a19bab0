"""The values of a kernel for a block, in tiles that threads share.

A block is cut into tiles of some vectors each, whatever the threads: every value is computed in the same way on
one as on many. While the walk is at a block, the tiles of the next one are begun. A walk changes only some of
the vectors, often those of one or two tiles: these are evaluated again, and the rest is there.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any, Self

import numpy as np

from onkel.compiled.pointers import Pointer
from onkel.engine.filling import FUNCTION, Desk, Filling, width_of, zeros_as_large
from onkel.engine.walk import Block
from onkel.model.state import Workspace, workspace_pointer
from onkel.model.tile import TILE, Tile
from onkel.parallel.crew import Job, allowed_threads, is_worth_sharing

#: What a block has of a workspace for itself while another is walked.
OF_A_BLOCK = ("values", "distances", "block_values", "block_distances", "diagonal")
#: So few vectors are one tile: such a block is left to one thread.
FEW = TILE
#: The workspace of the thread that asks; the other is number 1.
OWN = 0


def workspace_beside(workspace: Workspace) -> Workspace:
    """A workspace for another block than the one that is walked; it shares the rest."""
    own = {name: zeros_as_large(getattr(workspace, name)) for name in OF_A_BLOCK}
    return workspace._replace(**own)


def tiles_of(block: Block, n: int) -> list[Tile]:
    """A block with n vectors in pieces: tiles of vectors, and one of the rows among each other."""
    tiles = [
        Tile(block.first, block.rows, begin, min(begin + TILE, n), False)
        for begin in range(0, n, TILE)
    ]
    return [*tiles, Tile(block.first, block.rows, 0, 0, True)]


def may_be_shared(rows: Any, n_rows: int, capacity: int) -> bool:
    """Whether threads should share the tiles of blocks of so many rows, once there are as many vectors as there can
    be."""
    return is_worth_cutting(n_rows, capacity, effort_of(rows)) and allowed_threads() > 1


def is_worth_cutting(n_rows: int, n: int, effort: float) -> bool:
    return n > FEW and is_worth_sharing(n_rows * n * effort)


def effort_of(rows: Any) -> float:
    """Multiplications for a kernel value."""
    return width_of(rows) + FUNCTION


class InTiles(Filling):
    """Evaluates one block after the other into two workspaces in turn, ahead of who asks for them in order.

    One workspace is for the thread that asks, the other for its helpers: who fills a workspace walks it, too, or
    every value would have to go from one core's cache to another's. Who is idle fills what is left of the other.
    """

    def __init__(self, fill: Any, desks: tuple[Desk, Desk], n_rows: int) -> None:
        super().__init__(fill, desks[0])
        self._n_rows, self._effort = n_rows, effort_of(desks[0].rows)
        self._block_rows = len(desks[0].workspace.arrays.values)
        self._callers_desks = desks
        self._desks = {get_ident(): desks}  # of every thread, one for each workspace
        self._helpers = allowed_threads() - 1
        self._job = Job(self._do, self._helpers)
        self._store: Any = None
        self._block, self._turn = Block(0, 0), OWN  # that was asked for last, and its workspace
        self._turns: dict[int, int] = {}  # which workspace is for the block that begins at a row
        self._ahead: set[Tile] = set()  # those of the next block that somebody may have begun
        #: By which walk the vectors of a tile changed last, by its number, counted from 1: a hint, no more.
        self._changed: dict[int, int] = {}
        self._walks = 1
        #: A walk for whoever is near, and what it returned.
        self._errand: Callable[[], int] = int
        self._answer = 0

    def __enter__(self) -> Self:
        self._job.__enter__()
        return self

    def __exit__(self, *reason: object) -> None:
        self._job.__exit__(*reason)

    def of(self, block: Block, store: Any, n: int) -> Pointer:
        if not is_worth_cutting(block.rows, n, self._effort) or self._job.is_alone:
            self._withdraw(self._ahead)
            self._turn = OWN
            return super().of(block, store, n)
        tiles = tiles_of(block, n)
        self._withdraw(self._ahead.difference(tiles))
        left = [tile for tile in tiles if tile not in self._ahead]
        self._block, self._store, turn = block, store, self._turns.get(block.first, OWN)
        self._turn, self._turns = turn, {block.first: turn, block.first + block.rows: 1 - turn}
        self._add(left)
        self._begin(block.first + block.rows, n)
        for tile in tiles:
            self._job.finish(tile)
        return self._callers_desks[turn].workspace

    def walked(self, walk: Callable[[], int]) -> int:
        if self._turn == OWN:
            return walk()
        self._errand = walk
        self._job.add([self._block], self._helpers)
        try:
            self._job.finish(self._block)
        except BaseException:
            self._job.withdraw({self._block})  # goes on when nobody is at the walk
            raise
        return self._answer

    def expect_change(self, slots: np.ndarray) -> None:
        changed = set((slots // TILE).tolist())
        self._walks += 1
        self._changed.update(dict.fromkeys(changed, self._walks))
        vectors = [tile for tile in self._ahead if not tile.inside]
        self._withdraw({tile for tile in vectors if tile.begin // TILE in changed})

    def _begin(self, first: int, n: int) -> None:
        """Let somebody begin with the next block: where no vector matters, and where none changed of late.

        The one that changed longest ago waits, too, if it ever did: where the oldest vectors give way, it is next.
        """
        rows = min(self._block_rows, self._n_rows - first)
        self._ahead.clear()
        if is_worth_cutting(rows, n, self._effort):
            *tiles, inside = tiles_of(Block(first, rows), n)
            changes = [(self._changed.get(number, 0), tile) for number, tile in enumerate(tiles)]
            quiet = [change for change in sorted(changes, reverse=True) if change[0] < self._walks]
            if quiet and quiet[-1][0] > 0:
                quiet.pop()
            begun = [inside, *(tile for _, tile in quiet)]
            self._ahead.update(begun)
            self._add(begun)

    def _add(self, tiles: list[Tile]) -> None:
        """Have tiles of one block filled."""
        own = bool(tiles) and self._turns[tiles[0].first] == OWN
        self._job.add(tiles, self._helpers, own)

    def _withdraw(self, tiles: set[Tile]) -> None:
        """What may have been made of these tiles is not wanted."""
        if not tiles.isdisjoint(self._ahead):
            self._job.withdraw(tiles)
            self._ahead = self._ahead - tiles

    def _do(self, piece: Tile | Block) -> None:
        """Fill a tile, or walk the block."""
        if isinstance(piece, Block):
            self._answer = self._errand()
            return
        me = get_ident()
        if me not in self._desks:
            self._desks[me] = for_another_thread(self._callers_desks)
        desk = self._desks[me][self._turns[piece.first]]
        self._fill(desk.kernel, self._store, desk.rows, piece, desk.workspace)


def for_another_thread(desks: tuple[Desk, Desk]) -> tuple[Desk, Desk]:
    """Desks for the same two workspaces, with room of their own for what is worked out on the way."""
    here, there = desks
    mine = here.beside()
    workspace = there.workspace.arrays._replace(buffer=mine.workspace.arrays.buffer)
    return mine, mine._replace(workspace=workspace_pointer(*workspace))
