"""Centre and scale of numbers, learned as they come, and not ruined by odd ones among the first."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from onkel.tables.reading import Reading

#: Numbers further from the mean than so many deviations count, and appear, as if they were there.
FARTHEST = 10.0
#: The share of the first numbers, at each end, that does not decide what is far.
TRIMMED = 0.01
LEAST_TO_TRIM = 10
CONSTANT = 1e-12  # a deviation of so much of the mean is rounding, not variety


class Spread:
    """Mean, deviation and range of a stream of numbers, of which far ones count as if they were nearer.

    >>> spread = Spread()
    >>> spread.learn(np.append(np.arange(-50.0, 50.0), 1e9))
    >>> bool(spread.deviation < 50)
    True
    """

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0
        self.low, self.high = math.inf, -math.inf
        self.whole = True  # no number had a fraction

    @property
    def deviation(self) -> float:
        """0 as long as the numbers are all the same."""
        deviation = math.sqrt(self.squares / max(1, self.count))
        return deviation if deviation > CONSTANT * abs(self.mean) else 0.0

    @property
    def unit(self) -> float:
        """What becomes 1: the deviation, of whole numbers at least 1, so that the next one is not far away."""
        return max(self.deviation, 1.0) if self.whole else self.deviation

    def learn(self, numbers: NDArray[np.float64]) -> None:
        if not len(numbers):
            return
        self.whole = self.whole and bool((numbers == np.floor(numbers)).all())
        self.low = min(self.low, float(numbers.min()))
        self.high = max(self.high, float(numbers.max()))
        numbers = np.clip(numbers, *self._limits(numbers))
        count, mean = len(numbers), float(numbers.mean())
        squares = float(np.square(numbers - mean).sum())
        share, apart = count / (self.count + count), mean - self.mean
        self.squares += squares + apart**2 * (self.count * share)
        self.mean += apart * share
        self.count += count

    def _limits(self, numbers: NDArray[np.float64]) -> tuple[float, float]:
        mean, deviation = self.mean, self.deviation
        if not deviation:  # nothing is known yet: the block itself has to tell what is far
            cut = math.ceil(TRIMMED * len(numbers)) if len(numbers) >= LEAST_TO_TRIM else 0
            inner = np.sort(numbers)[cut : len(numbers) - cut]
            mean, deviation = float(inner.mean()), float(inner.std())
            if deviation <= CONSTANT * abs(mean):
                return -math.inf, math.inf
        return mean - FARTHEST * deviation, mean + FARTHEST * deviation

    def scaled(self, reading: Reading) -> NDArray[np.float64] | None:
        """(x − mean) / unit, at most `FARTHEST`; gaps are 0. None where nothing has varied yet.

        What lies outside of the range so far appears at its end: nobody knows yet what it means to be there.
        """
        if not self.deviation:
            return None
        scaled = (np.clip(reading.values, self.low, self.high) - self.mean) / self.unit
        scaled[reading.gaps] = 0.0
        return np.clip(scaled, -FARTHEST, FARTHEST, out=scaled)
