"""The report: fewer points that draw the same line, so that pages with many charts stay quick."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def thinned(x: Points, y: Points, most: int) -> NDArray[np.intp]:
    """Positions of at most `most` points that keep the shape of the line; the first and the last are kept.

    From each of equally full buckets comes the point that spans the largest triangle with the point chosen
    before and the mean of the next bucket (Steinarsson 2013).

    >>> x = np.arange(1000.0)
    >>> kept = thinned(x, np.where(x == 500, 9.0, 0.0), 20)
    >>> len(kept), 500 in kept
    (20, True)
    """
    n = len(x)
    if n <= most:
        return np.arange(n)
    edges = np.linspace(1, n - 1, most - 1).astype(np.intp)  # most - 2 buckets between the ends
    chosen = [0]
    for start, end in pairwise(edges):
        after = slice(end, max(min(end + (end - start), n), end + 1))
        mean_x, mean_y = x[after].mean(), y[after].mean()
        last = chosen[-1]
        area = np.abs(
            (x[last] - mean_x) * (y[start:end] - y[last])
            - (x[last] - x[start:end]) * (mean_y - y[last])
        )
        chosen.append(int(start + area.argmax()))
    return np.array([*chosen, n - 1], dtype=np.intp)
