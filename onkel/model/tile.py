"""A piece of the work of a block: which of its rows with which vectors."""

from __future__ import annotations

from typing import NamedTuple

#: Vectors that are compared at once, whoever does it: what is between the matrix product and the kernel's function
#: stays in the cache.
TILE = 256


class Tile(NamedTuple):
    """Rows ``first .. first + rows`` of a chunk with the vectors ``begin .. end``."""

    first: int
    rows: int
    begin: int
    end: int
    inside: bool  # also what concerns the rows alone: their values with themselves and each other
