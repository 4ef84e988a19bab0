"""Chunks as plain values and arrays, for marks; and a digest, to know data again."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from onkel.stream.base import Chunk, cut
from onkel.tables.column import Column
from onkel.tables.table import Table

#: Rows at either end that the digest of a chunk looks at.
LOOKED_AT = 256


def plain_chunk(chunk: Chunk) -> dict[str, Any]:
    """The rows as arrays or CSR; `chunk_of` takes them back."""
    if not isinstance(chunk.X, Table):
        return {"X": chunk.X, "y": chunk.y}
    cells = {
        name: [column.form, column.values, *_as_arrays(column.words)]
        for name, column in chunk.X.cells.items()
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
        name: Column(form, values, _as_words(text, ends))
        for name, (form, values, text, ends) in plain["cells"].items()
    }
    return Chunk(Table(cells, len(plain["y"])), plain["y"])


def _as_arrays(words: tuple[str, ...]) -> tuple[Any, Any]:
    """All words in a row, in UTF-8, and where each ends, in characters: a list of many would take long."""
    text = np.frombuffer("".join(words).encode("utf-8", "surrogatepass"), np.uint8)
    return text, np.cumsum([len(word) for word in words], dtype=np.int64)


def _as_words(text: Any, ends: Any) -> tuple[str, ...]:
    whole = text.tobytes().decode("utf-8", "surrogatepass")
    starts = [0, *ends.tolist()]
    return tuple(whole[start:end] for start, end in pairwise(starts))


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
