"""A piece of the work of a block: which of its rows with which vectors."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.compiled.decorators import inner

#: Vectors that are compared at once, at most: what is between the matrix product and the kernel's function stays in
#: the cache.
TILE = 256


class Tile(NamedTuple):
    """Rows ``first .. first + rows`` of a chunk with the vectors ``begin .. end``."""

    first: int
    rows: int
    begin: int
    end: int
    inside: bool  # also what concerns the rows alone: their values with themselves and each other


@inner
def width_of_tiles(n: int) -> Any:
    """Into pieces of how many vectors so many are cut, by whoever does it: as few as can be, of one size."""
    pieces = max(1, (n + TILE - 1) // TILE)
    return max(1, (n + pieces - 1) // pieces)
