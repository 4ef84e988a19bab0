"""Chunks as plain values and arrays, for marks; and a digest, to know data again."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from scipy import sparse

from onkel.stream.base import Chunk, cut
from onkel.tables.column import Column
from onkel.tables.table import Table

#: Rows at either end that the digest of a chunk looks at.
LOOKED_AT = 256


def plain_chunk(chunk: Chunk) -> dict[str, Any]:
    """The rows as arrays, CSR or words in lists; `chunk_of` takes them back."""
    if not isinstance(chunk.X, Table):
        return {"X": chunk.X, "y": chunk.y}
    cells = {
        name: [cell.form, cell.values, list(cell.words)] for name, cell in chunk.X.cells.items()
    }
    return {"cells": cells, "y": chunk.y}


def chunk_of(plain: dict[str, Any]) -> Chunk:
    """The chunk of which this was made.

    >>> table = Table.of({"job": ["cook", None, "clerk"]})
    >>> chunk_of(plain_chunk(Chunk(table, np.arange(3)))).X["job"].tolist()
    ['cook', None, 'clerk']
    """
    if "X" in plain:
        return Chunk(plain["X"], plain["y"])
    cells = {
        name: Column(form, values, tuple(words))
        for name, (form, values, words) in plain["cells"].items()
    }
    return Chunk(Table(cells, len(plain["y"])), plain["y"])


def digest(chunk: Chunk) -> str:
    """A short name of the first and last rows."""
    found = hashlib.sha256()
    rows = len(chunk.y)
    for part in (cut(chunk, 0, LOOKED_AT), cut(chunk, max(0, rows - LOOKED_AT), rows)):
        for array in _arrays(part):
            array = array.astype(str) if array.dtype.kind == "O" else array
            found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def _arrays(chunk: Chunk) -> list[Any]:
    if isinstance(chunk.X, Table):
        words = [np.array(list(cell.words), str) for cell in chunk.X.cells.values()]
        return [*words, *(cell.values for cell in chunk.X.cells.values()), chunk.y]
    if sparse.issparse(chunk.X):
        return [chunk.X.data, chunk.X.indices, chunk.y]
    return [chunk.X, chunk.y]
