"""Reference room: a learner that is watched, one row at a time, with every sum worked out from its numbers.

Learners here are anything with `learn(x, y)` that returns the loss before the update.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

HALF_LIFE, AT_LEAST, PATIENCE = 250, 30, 5000


class DriftAwareTwin:
    """`start` makes a learner that has learned nothing, `detect` a detector."""

    def __init__(self, first: Any, start: Callable[[], Any], detect: Callable[[], Any]) -> None:
        self.old, self.start, self.detect = first, start, detect
        self.detector, self.fresh = detect(), None
        self.pairs: list[tuple[float, float]] = []  # losses of both on the same rows
        self.drifted = False
        self.row, self.drifts = 0, []

    def learn(self, x: Any, y: Any) -> None:
        self.row += 1
        loss = self.old.learn(x, y)
        self.detector.update(loss)
        if self.fresh is None:
            if self.detector.warning or self.detector.drift:
                self.fresh, self.pairs, self.drifted = self.start(), [], self.detector.drift
            return
        self.pairs.append((loss, self.fresh.learn(x, y)))
        self.drifted = self.drifted or self.detector.drift
        won = self.drifted and self.is_better()
        if not won and len(self.pairs) < PATIENCE:
            return
        if self.drifted:
            self.drifts.append((self.row, *self.means(), won))
        if won:
            self.old, self.detector = self.fresh, self.detect()
        self.fresh = None

    def ages(self) -> np.ndarray:
        return 2.0 ** (-np.arange(len(self.pairs))[::-1] / HALF_LIFE)

    def is_better(self) -> bool:
        gains = np.array([old - fresh for old, fresh in self.pairs])
        enough = len(gains) >= AT_LEAST
        return enough and self.ages() @ gains > 2 * math.sqrt(self.ages() @ gains**2)

    def means(self) -> tuple[float, float]:
        old, fresh = (self.ages() @ np.array(self.pairs)) / self.ages().sum()
        return float(old), float(fresh)
