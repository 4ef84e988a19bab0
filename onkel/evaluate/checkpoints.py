"""Where a run stops to be looked at: evenly on a log scale at first, then evenly."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

import numpy as np

FIRST = 100
A_DECADE = 10
#: No more rows than this between two looks, so that a display keeps moving.
LONGEST = 20_000


def even_step(n: int, points: int) -> int:
    """The rows between two checkpoints where they are even."""
    return max(1, math.ceil(n / max(1, points // 2)))


def checkpoints(n: int, points: int = 60) -> list[int]:
    """Choose at most `points` places up to `n`: ten a decade at first, the others at even steps.

    Parameters
    ----------
    n : int
        The number of rows.
    points : int, default=60
        At most as many places.

    Returns
    -------
    list of int
        Numbers of rows, rising; the last one is `n`.

    Examples
    --------
    >>> checkpoints(100_000, 10)
    [100, 376, 1414, 5318, 20000, 40000, 60000, 80000, 100000]
    >>> checkpoints(3)
    [1, 2, 3]
    """
    if n <= points:
        return list(range(1, n + 1))
    step = even_step(n, points)
    places = list(range(step, n, step)) + [n]
    first = min(FIRST, step)
    count = min(points - len(places), math.ceil(A_DECADE * math.log10(step / first)) + 1)
    places += np.geomspace(first, step, count).round().astype(int).tolist() if count > 0 else []
    return sorted(set(places))


def marks(n: int | None, points: int, window: int) -> Iterator[int]:
    """Rising places to stop at: the checkpoints, and where the window before each of them begins.

    Where nobody knows the length (`n` is None) there are ten places a decade, then `LONGEST` rows
    between two.
    """
    last = 0
    lags = (place - window for place in _places(n, points))
    for place in heapq.merge(_places(n, points), lags):
        if place > last:
            last = place
            yield place


class Stops:
    """The next mark after the rows seen so far, never more than `LONGEST` away."""

    def __init__(self, places: Iterator[int], first: int = 0) -> None:
        self.places = places
        self.place = first

    def after(self, seen: int) -> int:
        while self.place <= seen:
            self.place = next(self.places, seen + LONGEST)
        return min(self.place, seen + LONGEST)


def _places(n: int | None, points: int) -> Iterator[int]:
    if n is not None:
        yield from checkpoints(n, points)
        return
    at, place = float(FIRST), 0
    while True:
        place = min(int(at), place + LONGEST)
        yield place
        at = max(at, place) * 10 ** (1 / A_DECADE)
