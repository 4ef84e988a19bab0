r"""Whether a fresh learner is better than an old one on the rows that both have scored.

With the losses a and b of the two on a row (mistakes, or absolute residuals), and sums that fade with a half-life of
250 rows, the fresh one is better by two standard errors when :math:`\sum (a - b) > 2 \sqrt{\sum (a - b)^2}`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import jit

FADE = 2.0 ** (-1.0 / 250.0)
#: Rows that both must have scored.
AT_LEAST = 30
#: Rows after which a fresh learner goes that has not proved better.
PATIENCE = 5000
ROWS, WEIGHT, OLD, FRESH, GAIN, SQUARES = range(6)


class Contest(NamedTuple):
    """Sums over the rows that both learners have scored, and whether the stream is known to have changed."""

    sums: np.ndarray  # (6,): see the places above
    drifted: bool

    @property
    def rows_left(self) -> int:
        return max(0, PATIENCE - int(self.sums[ROWS]))

    @property
    def is_won(self) -> bool:
        """Whether the fresh learner takes over."""
        return self.drifted and better(self.sums)

    def after(self, old: np.ndarray, fresh: np.ndarray) -> tuple[Contest, int]:
        """The contest after more rows: all of them, or up to the one that decides it; and how many."""
        sums = self.sums.copy()
        count = compare(sums, old, fresh, self.drifted)
        return Contest(sums, self.drifted), int(count)

    @property
    def means(self) -> tuple[float, float]:
        """What the old and the fresh learner lost lately, a row."""
        weight = max(1.0, float(self.sums[WEIGHT]))
        return float(self.sums[OLD]) / weight, float(self.sums[FRESH]) / weight


def begun(drifted: bool) -> Contest:
    """A contest before its first row."""
    return Contest(np.zeros(6), drifted)


@jit
def compare(sums: Array, old: Array, fresh: Array, decide: bool) -> int:
    for i in range(old.size):
        gain = old[i] - fresh[i]
        sums[ROWS] += 1.0
        sums[WEIGHT] = FADE * sums[WEIGHT] + 1.0
        sums[OLD] = FADE * sums[OLD] + old[i]
        sums[FRESH] = FADE * sums[FRESH] + fresh[i]
        sums[GAIN] = FADE * sums[GAIN] + gain
        sums[SQUARES] = FADE * sums[SQUARES] + gain * gain
        if decide and better(sums):
            return i + 1
    return old.size


@jit
def better(sums: Array) -> bool:
    return bool(sums[ROWS] >= AT_LEAST and sums[GAIN] > 2.0 * math.sqrt(sums[SQUARES]))
