"""Many numbers in little room: their ranks, within a bound that is known at every moment.

Munro and Paterson's summary (1980), as Manku, Rajagopalan and Lindsay (1998) describe it. Numbers fill a buffer; a
full one is sorted, and weighs 1. Where there are two of weight w, they are merged, and every second number of
the merged ones is kept, with weight 2w: the first, third, ... or the second, fourth, ..., in turn. Of any x
that changes the weight of those ≤ x (or < x) by 0 or +w, or by 0 or −w. So after all merges the rank of
every x is off by at most the larger of two sums: of the w of merges of the one kind and of the other.

With n numbers in buffers of k a level l has m = n / (2k · 2^l) merges, of either kind at most (m + 1) / 2, and there
are at most log₂(n/k) levels: the bound is at most n (log₂(n/k) + 2) / (4k), in room for k (log₂(n/k) + 2)
numbers. Below 2k numbers all are kept, and every rank is exact. Chunks play no part: buffers fill up.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from onkel.evaluate.metrics.accumulator import Accumulator

Numbers = NDArray[np.float64]


class RankSummary(Accumulator):
    """The ranks of numbers; see above.

    >>> summary = RankSummary(buffer=4)
    >>> summary.add(np.arange(7.0))
    >>> summary.doubt, summary.items()[0].tolist()
    (0, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> summary.add(np.array([7.0]))
    >>> summary.doubt, summary.items()[0].tolist(), summary.items()[1].tolist()
    (1, [0.0, 2.0, 4.0, 6.0], [2, 2, 2, 2])
    """

    def __init__(self, buffer: int) -> None:
        self.buffer = buffer
        self.count = 0
        self.waiting: Numbers = np.zeros(0)
        self.levels: list[Numbers] = []  # the sorted buffer of weight 2^level, or an empty one
        self.merges: list[int] = []  # at each level: their parity says which numbers are kept
        self.too_high = 0  # by how much ranks may be
        self.too_low = 0

    @property
    def doubt(self) -> int:
        """The most that a rank can be off."""
        return max(self.too_high, self.too_low)

    def add(self, numbers: Numbers) -> None:
        self.count += len(numbers)
        numbers = np.concatenate([self.waiting, numbers])
        full = len(numbers) - len(numbers) % self.buffer
        for start in range(0, full, self.buffer):
            self._carry(np.sort(numbers[start : start + self.buffer]))
        self.waiting = numbers[full:]

    def times(self, factor: float) -> RankSummary:
        """The same of all numbers multiplied: their order is the same, or the opposite."""
        made, step = copy(self), 1 if factor > 0 else -1
        made.waiting = factor * self.waiting
        made.levels = [np.ascontiguousarray(factor * numbers[::step]) for numbers in self.levels]
        made.merges = list(self.merges)
        if factor < 0:
            made.too_high, made.too_low = self.too_low, self.too_high
        return made

    def _carry(self, numbers: Numbers) -> None:
        """Put a sorted buffer on the lowest level, as a digit is carried in addition."""
        for level in range(len(self.levels)):
            if not len(self.levels[level]):
                self.levels[level] = numbers
                return
            merged = np.sort(np.concatenate([self.levels[level], numbers]), kind="stable")
            second = self.merges[level] % 2
            self.merges[level] += 1
            if second:
                self.too_low += 2**level
            else:
                self.too_high += 2**level
            numbers, self.levels[level] = merged[second::2], np.zeros(0)
        self.levels.append(numbers)
        self.merges.append(0)

    def items(self) -> tuple[Numbers, NDArray[np.int64]]:
        """The numbers that are kept, in order, and what each weighs: together `count`."""
        parts = [self.waiting, *self.levels]
        numbers = np.concatenate(parts)
        if not self.doubt:  # all of them, each of weight 1: sorting alone is quicker
            return np.sort(numbers), np.ones(len(numbers), np.int64)
        weights = np.array([1, *(2**level for level in range(len(self.levels)))], np.int64)
        order = np.argsort(numbers)
        return numbers[order], np.repeat(weights, [len(part) for part in parts])[order]

    def restore(self, state: dict[str, Any]) -> Self:
        levels = [np.array(numbers, float) for numbers in state["levels"]]
        return super().restore(state | {"levels": levels})
