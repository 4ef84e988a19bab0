"""Shuffling in bounded memory.

The buffer is filled, put in random order, half of it is given out, and the other half waits for new
rows. So a row may be delayed for long, but is never early by more than a buffer, and the order
depends on the rows' numbers and the seed alone, not on the chunks in which they come.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from onkel.stream.base import Chunk, Stream, Wrapped, check_whole, cut, joined, regrouped
from onkel.stream.opening import open_stream

LEAST_ROWS = 256  # of a chunk, where there are so many: a slow pipe may have given them one by one


def shuffled(
    stream: Any,
    buffer_rows: int = 16384,
    random_state: int | np.random.Generator | None = None,
) -> Stream:
    """The rows of `stream` in random order within a buffer of `buffer_rows` rows.

    `stream` may also be anything that `open_stream` opens. A whole number as
    `random_state` gives every pass the same order; a generator goes on.

    >>> from onkel.stream import open_stream
    >>> rows = open_stream((np.zeros((6, 1)), np.arange(6)))
    >>> [y.tolist() for X, y in shuffled(rows, buffer_rows=4, random_state=0)]
    [[2, 0], [5, 4], [1, 3]]
    """
    return _Shuffled(open_stream(stream), check_whole("buffer_rows", buffer_rows, 2), random_state)


class _Shuffled(Wrapped):
    def __init__(
        self, source: Stream, buffer_rows: int, random_state: int | np.random.Generator | None
    ) -> None:
        super().__init__(source)
        self._half = -(-buffer_rows // 2)
        self._random_state = random_state

    def __iter__(self) -> Iterator[Chunk]:
        rng = np.random.default_rng(self._random_state)
        kept: Chunk | None = None
        largest = LEAST_ROWS  # chunks go out about as large as they came in
        for new in regrouped(self._noting_size(), self._half):
            largest = self._largest
            if kept is None:
                kept = new
                continue
            mixed = _permuted(joined([kept, new]), rng)
            split = len(mixed.y) - len(kept.y)
            yield from _pieces(cut(mixed, 0, split), largest)
            kept = cut(mixed, split, len(mixed.y))
        if kept is not None:
            yield from _pieces(_permuted(kept, rng), largest)

    def _noting_size(self) -> Iterator[Chunk]:
        self._largest = LEAST_ROWS
        for chunk in self.source:
            self._largest = max(self._largest, len(chunk.y))
            yield chunk


def _permuted(chunk: Chunk, rng: np.random.Generator) -> Chunk:
    order = rng.permutation(len(chunk.y))
    return Chunk(chunk.X[order], chunk.y[order])


def _pieces(chunk: Chunk, rows: int) -> Iterator[Chunk]:
    for start in range(0, len(chunk.y), rows):
        yield cut(chunk, start, start + rows)
