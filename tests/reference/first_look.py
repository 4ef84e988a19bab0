"""Twin of the first look: from how many rows settings are chosen, and gamma from these."""

from __future__ import annotations

import numpy as np


def rows_looked_at(k: int, look: int) -> int:
    """All of the look once it is complete; until then, of k rows, the largest power of two."""
    if k >= look:
        return look
    power = 1
    while 2 * power <= k:
        power = 2 * power
    return power


def scale_gamma(X: np.ndarray) -> float:
    """1 / (number of features * variance of all entries)."""
    mean = sum(float(x) for x in X.ravel()) / X.size
    variance = sum((float(x) - mean) ** 2 for x in X.ravel()) / X.size
    return 1.0 / (X.shape[1] * variance)
