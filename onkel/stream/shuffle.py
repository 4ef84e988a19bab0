"""Shuffling in bounded memory.

The buffer is filled, put in random order, half of it is given out, and the other half waits for new
rows. So a row may be delayed for long, but is never early by more than a buffer, and the order
depends on the rows' numbers and the seed alone, not on the chunks in which they come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from onkel.stream.base import Chunk, Mark, Marked, Resumable, Stream, Wrapped, cut, joined, known
from onkel.stream.opening import open_stream
from onkel.stream.plain import chunk_of, plain_chunk
from onkel.stream.regrouping import regrouped
from onkel.tables.choices import check_whole

LEAST_ROWS = 256  # of a chunk, where there are so many: a slow pipe may have given them one by one


def shuffled(
    stream: Any,
    buffer_rows: int = 16384,
    random_state: int | np.random.Generator | None = None,
) -> Stream:
    """Give the rows of a stream in random order within a buffer.

    Parameters
    ----------
    stream : Stream
        The stream to shuffle, or anything that `open_stream` opens.
    buffer_rows : int, default=16384
        As many rows are in memory; half of them are given out before new ones come in.
    random_state : int, Generator or None, default=None
        A whole number gives every pass the same order; a generator goes on.

    Returns
    -------
    Stream
        The same rows in another order.

    Examples
    --------
    >>> from onkel.stream import open_stream
    >>> rows = open_stream((np.zeros((6, 1)), np.arange(6)))
    >>> [y.tolist() for X, y in shuffled(rows, buffer_rows=4, random_state=0)]
    [[2, 0], [5, 4], [1, 3]]
    """
    return _Shuffled(open_stream(stream), check_whole("buffer_rows", buffer_rows, 2), random_state)


class _Round(NamedTuple):
    """Rows in random order to be given out, those that wait for the next round, and the state of affairs."""

    rows: Chunk
    kept: Chunk | None
    source: Callable[[], Mark | None]
    random: Mapping[str, Any]  # the generator's state
    largest: int  # rows of a chunk

    def given_out(self) -> Iterator[Marked]:
        for start in range(0, len(self.rows.y), self.largest):
            piece = cut(self.rows, start, start + self.largest)
            yield Marked(piece, partial(self._mark, start + len(piece.y)))

    def _mark(self, given: int) -> Mark:
        left = len(self.rows.y) > given
        return {
            "source": self.source(),
            "rows": plain_chunk(cut(self.rows, given, len(self.rows.y))) if left else None,
            "kept": None if self.kept is None else plain_chunk(self.kept),
            "random": dict(self.random),
            "largest": self.largest,
        }


class _Shuffled(Resumable, Wrapped):
    def __init__(
        self, source: Stream, buffer_rows: int, random_state: int | np.random.Generator | None
    ) -> None:
        super().__init__(source)
        self._half = -(-buffer_rows // 2)
        self._random_state = random_state

    def settings(self) -> dict[str, Any]:
        seed = self._random_state
        kind = type(seed.bit_generator).__name__ if isinstance(seed, np.random.Generator) else seed
        return {**super().settings(), "half of buffer_rows": self._half, "random_state": kind}

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        rng = np.random.default_rng(self._random_state)
        kept: Chunk | None = None
        source: Callable[[], Mark | None] = partial(known, None)
        self._largest = LEAST_ROWS  # chunks go out about as large as they came in
        if start is not None:
            rng.bit_generator.state = start["random"]
            kept = start["kept"] and chunk_of(start["kept"])
            source, self._largest = partial(start.get, "source"), start["largest"]
            if start["rows"]:
                rest = chunk_of(start["rows"])
                yield from _Round(rest, kept, source, start["random"], self._largest).given_out()
        for new, mark in regrouped(self._noting_size, self._half, source()):
            source = mark
            if kept is None:
                kept = new
                continue
            mixed = _permuted(joined([kept, new]), rng)
            split = len(mixed.y) - len(kept.y)
            kept = cut(mixed, split, len(mixed.y))
            going, random = cut(mixed, 0, split), rng.bit_generator.state
            yield from _Round(going, kept, source, random, self._largest).given_out()
        if kept is not None:
            mixed, random = _permuted(kept, rng), rng.bit_generator.state
            yield from _Round(mixed, None, source, random, self._largest).given_out()

    def _noting_size(self, start: Mark | None) -> Iterator[Marked]:
        for chunk, mark in self.source.marked(start):
            self._largest = max(self._largest, len(chunk.y))
            yield Marked(chunk, mark)


def _permuted(chunk: Chunk, rng: np.random.Generator) -> Chunk:
    order = rng.permutation(len(chunk.y))
    return Chunk(chunk.X[order], chunk.y[order])
