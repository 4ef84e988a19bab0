r"""ADWIN: a window of numbers that is cut where its older part has another mean than its newer one.

The window holds the sums of buckets of 1, 2, 4, ... numbers, at most five of each size: a few hundred numbers of
memory, whatever its length. Every so many numbers all cuts between two buckets are tried, the oldest first. With
n₀ and n₁ numbers before and after a cut, W in all, and their variance :math:`\sigma^2`, the means differ too much if

.. math:: |\mu_0 - \mu_1| > \sqrt{\tfrac{2}{m} \sigma^2 \delta'} + \tfrac{2}{3 m} \delta', \qquad
          \frac1m = \frac1{n_0 - l + 1} + \frac1{n_1 - l + 1}, \quad \delta' = \log\frac{2 \log W}{\delta}

with at least l numbers on both sides. Then the oldest bucket goes, and the cuts are tried again.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner, jit

#: Buckets of one size that there may be before the two oldest become one of twice the size.
MOST_ALIKE = 5
SIZES = 48
#: Numbers between two searches for a cut, and those that a window and both of its parts must have at least.
EVERY, AT_LEAST, EACH_AT_LEAST = 32, 10, 5
#: Places of the numbers that change.
SEEN, WIDTH, TOTAL, SQUARES = range(4)
QUIET, WARNING, DRIFT = 0, 1, 2


class Adwin:
    """
    Adaptive windowing: tells when the mean of a stream of numbers has changed.

    Compiled, with a second, less strict bound for warnings. It searches after every 32 numbers, as river's ``ADWIN``
    does, whose older part leaves out the newest bucket of each size: so the two may differ by a search or two.

    Parameters
    ----------
    delta : float, default=0.002
        How likely a false alarm may be at a search for a change.
    warning_delta : float or None, default=0.05
        The same of a warning, larger; None for no warnings.

    References
    ----------
    Bifet, Gavaldà: Learning from time-changing data with adaptive windowing. SDM 2007.

    Examples
    --------
    >>> from onkel.drift import Adwin
    >>> detector = Adwin()
    >>> for row in range(2000):
    ...     detector.update(float(row % 10 == 0 if row < 1000 else row % 2 == 0))
    ...     if detector.drift_detected:
    ...         break
    >>> row, detector.width < 1000
    (1055, True)
    """

    def __init__(self, delta: float = 0.002, warning_delta: float | None = 0.05) -> None:
        if not 0 < delta < 1 or not (warning_delta is None or delta <= warning_delta < 1):
            raise ValueError(
                f"delta={delta!r} and warning_delta={warning_delta!r} are not allowed: give "
                f"0 < delta <= warning_delta < 1, or no warning_delta (None)."
            )
        self.delta, self.warning_delta = delta, warning_delta
        self._now = np.zeros(4)
        self._counts = np.zeros(SIZES, np.int64)  # buckets of each size
        self._buckets = np.zeros((SIZES, MOST_ALIKE + 1, 2))  # sum and squares, the oldest first
        self._state = QUIET

    def update(self, x: float) -> None:
        """
        Take in a number.

        Parameters
        ----------
        x : float
            The number.
        """
        self.update_until(np.array([x], float))

    def update_until(self, values: np.ndarray) -> int:
        """
        Take in numbers up to the first that leads to a warning or a drift.

        Parameters
        ----------
        values : ndarray of shape (n,)
            The numbers.

        Returns
        -------
        int
            How many were taken in.
        """
        bounds = np.array([self.delta, self.warning_delta or self.delta])
        taken, self._state = watch(self._now, self._counts, self._buckets, bounds, values)
        return int(taken)

    @property
    def drift_detected(self) -> bool:
        """Whether the last number led to a cut."""
        return self._state == DRIFT

    @property
    def warning_detected(self) -> bool:
        """Whether it would have done so with the less strict bound, at least."""
        return self._state != QUIET

    @property
    def width(self) -> int:
        """Numbers in the window."""
        return int(self._now[WIDTH])

    @property
    def mean(self) -> float:
        """Their mean."""
        return float(self._now[TOTAL] / max(1.0, self._now[WIDTH]))

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value.copy() if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            kept = np.require(value, requirements="W") if isinstance(value, np.ndarray) else value
            setattr(self, name, kept)


@jit
def watch(
    now: Array, counts: Array, buckets: Array, bounds: Array, values: Array
) -> tuple[int, int]:
    """Take in numbers until something happens; returns how many, and what happened."""
    for i in range(values.size):
        insert(now, counts, buckets, values[i])
        now[SEEN] += 1.0
        if now[SEEN] % EVERY == 0.0 and now[WIDTH] > AT_LEAST:
            state = search(now, counts, buckets, bounds)
            if state != QUIET:
                return i + 1, state
    return values.size, QUIET


@inner
def insert(now: Array, counts: Array, buckets: Array, x: float) -> None:
    """A bucket of one number; where there are too many of a size, the two oldest become one."""
    if now[WIDTH] > 0.0:
        gap = x - now[TOTAL] / now[WIDTH]
        now[SQUARES] += now[WIDTH] * gap * gap / (now[WIDTH] + 1.0)
    now[WIDTH] += 1.0
    now[TOTAL] += x
    total, squares = x, 0.0
    for size in range(SIZES):
        buckets[size, counts[size], 0] = total
        buckets[size, counts[size], 1] = squares
        counts[size] += 1
        if counts[size] <= MOST_ALIKE:
            return
        n = 2.0**size
        gap = (buckets[size, 0, 0] - buckets[size, 1, 0]) / n
        total = buckets[size, 0, 0] + buckets[size, 1, 0]
        squares = buckets[size, 0, 1] + buckets[size, 1, 1] + 0.5 * n * gap * gap
        drop(counts, buckets, size, 2)


@inner
def drop(counts: Array, buckets: Array, size: int, some: int) -> None:
    """Without the oldest buckets of a size."""
    counts[size] -= some
    for k in range(counts[size]):
        buckets[size, k, 0] = buckets[size, k + some, 0]
        buckets[size, k, 1] = buckets[size, k + some, 1]


@inner
def search(now: Array, counts: Array, buckets: Array, bounds: Array) -> int:
    """Shorten the window as long as there is a cut; tell what was found."""
    state = QUIET
    while True:
        found = widest_cut(now, counts, buckets, bounds)
        state = max(state, found)
        if found != DRIFT:
            return state
        forget_oldest(now, counts, buckets)


@inner
def widest_cut(now: Array, counts: Array, buckets: Array, bounds: Array) -> int:
    """Whether some cut parts two means that differ too much, or so much that it is worth a warning."""
    state, before, sum_before = QUIET, 0.0, 0.0
    loglog = 2.0 * math.log(now[WIDTH])
    strict, loose = math.log(loglog / bounds[0]), math.log(loglog / bounds[1])
    variance = now[SQUARES] / now[WIDTH]
    for size in range(SIZES - 1, -1, -1):
        for k in range(counts[size]):
            before += 2.0**size
            sum_before += buckets[size, k, 0]
            after = now[WIDTH] - before
            if after < EACH_AT_LEAST:
                return state
            if before < EACH_AT_LEAST:
                continue
            gap = abs(sum_before / before - (now[TOTAL] - sum_before) / after)
            per = 1.0 / (before - EACH_AT_LEAST + 1.0) + 1.0 / (after - EACH_AT_LEAST + 1.0)
            if gap > math.sqrt(2.0 * per * variance * strict) + 2.0 / 3.0 * per * strict:
                return DRIFT
            if gap > math.sqrt(2.0 * per * variance * loose) + 2.0 / 3.0 * per * loose:
                state = WARNING
    return state


@inner
def forget_oldest(now: Array, counts: Array, buckets: Array) -> None:
    """Without the oldest bucket."""
    size = SIZES - 1
    while counts[size] == 0:
        size -= 1
    n, total, squares = 2.0**size, buckets[size, 0, 0], buckets[size, 0, 1]
    now[WIDTH] -= n
    now[TOTAL] -= total
    gap = total / n - now[TOTAL] / now[WIDTH]
    now[SQUARES] -= squares + n * now[WIDTH] * gap * gap / (n + now[WIDTH])
    drop(counts, buckets, size, 1)
