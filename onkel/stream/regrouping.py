"""Rows in pieces of one size, whatever the pieces in which they come, with marks to go on at.

A mark here is the source's mark before the piece that is in use, and how many of its rows were taken: so it
holds no rows, and at most one piece is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from onkel.stream.base import Chunk, Mark, cut, joined, known, narrowed

Rows = TypeVar("Rows")
#: Rows, and a function that tells where the source is after them.
Piece = tuple[Rows, Callable[[], Mark]]


class Handling(NamedTuple, Generic[Rows]):
    """How rows of some kind are counted, joined and cut, and in which form they are given out."""

    count: Callable[[Rows], int]
    joined: Callable[[list[Rows]], Rows]
    cut: Callable[[Rows, int, int], Rows]
    finished: Callable[[Rows], Rows]


def _length(chunk: Chunk) -> int:
    return len(chunk.y)


CHUNKS: Handling[Chunk] = Handling(_length, joined, cut, narrowed)


def regrouped(
    read: Callable[[Mark | None], Iterable[Piece[Rows]]],
    rows: int,
    start: Mark | None = None,
    pauses: Callable[[], bool] = lambda: False,
    of: Handling[Any] = CHUNKS,
) -> Iterator[Piece[Rows]]:
    """The rows that `read` gives from a mark on, in pieces of exactly `rows`.

    The last may be smaller, and the one before a pause.

    >>> import numpy as np
    >>> def read(mark):
    ...     for first in range(0 if mark is None else mark["row"], 7, 3):
    ...         last = min(first + 3, 7)
    ...         yield Chunk(np.ones((last - first, 1)), np.arange(first, last)), lambda last=last: {"row": last}
    >>> for chunk, mark in regrouped(read, 2):
    ...     print(chunk.y.tolist(), mark())
    [0, 1] {'before': None, 'taken': 2}
    [2, 3] {'before': {'row': 3}, 'taken': 1}
    [4, 5] {'before': {'row': 6}, 'taken': 0}
    [6] {'before': {'row': 7}, 'taken': 0}
    >>> [chunk.y.tolist() for chunk, _ in regrouped(read, 2, {"before": {"row": 3}, "taken": 1})]
    [[4, 5], [6]]
    """
    before, skip = (None, 0) if start is None else (start["before"], start["taken"])
    last: Callable[[], Mark | None] = partial(known, before)
    waiting: list[Rows] = []
    held = 0
    for piece, mark in read(before):
        size = of.count(piece)
        here = partial(_mark, last, mark, size)
        if skip:
            taken = min(skip, size)
            piece, skip = of.cut(piece, taken, size), skip - taken
        if of.count(piece):
            waiting.append(piece)
            held += of.count(piece)
        if held >= rows:
            whole = of.joined(waiting)
            for first in range(0, held - rows + 1, rows):
                part = of.finished(of.cut(whole, first, first + rows))
                yield part, partial(here, held - first - rows)
            waiting = [of.cut(whole, held - held % rows, held)] if held % rows else []
            held %= rows
        if held and pauses():
            yield of.finished(of.joined(waiting)), partial(here, 0)
            waiting, held = [], 0
        last = mark
    if held:
        yield of.finished(of.joined(waiting)), partial(here, 0)


def _mark(
    before: Callable[[], Mark | None], after: Callable[[], Mark], size: int, left: int
) -> Mark:
    """Where the source is when so many rows of a piece are left."""
    if left:
        return {"before": before(), "taken": size - left}
    return {"before": after(), "taken": 0}
