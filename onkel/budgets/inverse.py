"""The inverse of a Gram matrix that no longer changes: one symmetric product a projection.

Made once, from the triangular factor; two triangular solves would read as much memory twice. Only
the lower triangle is used.
"""

from __future__ import annotations

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner


@inner
def invert_factor(factor: Array, n: int) -> None:
    """Put K^-1 = R^-1 R'^-1 where R was. Its diagonal holds 1 / R[i, i]."""
    root = np.zeros((n, n))  # R^-1, upper triangular
    for i in range(n - 1, -1, -1):
        row, own = factor[i], root[i]
        own[i] = 1.0
        for j in range(i + 1, n):
            share, other = row[j], root[j]
            for k in range(j, n):
                own[k] -= share * other[k]
        for k in range(i, n):
            own[k] *= row[i]
    for i in range(n):
        own = root[i]
        for j in range(i + 1):
            other, total = root[j], 0.0
            for k in range(i, n):
                total += own[k] * other[k]
            factor[i, j] = total


@inner
def multiply_inverse(inverse: Array, n: int, x: Array, out: Array) -> None:
    """out = inverse @ x, reading each entry of the lower triangle once, two rows at a time."""
    for i in range(n):
        out[i] = inverse[i, i] * x[i]
    paired = n - n % 2
    for i in range(0, paired, 2):
        first, second = inverse[i], inverse[i + 1]
        a, b = x[i], x[i + 1]
        to_first, to_second = 0.0, 0.0
        for j in range(i):
            to_first += first[j] * x[j]
            to_second += second[j] * x[j]
            out[j] += first[j] * a + second[j] * b
        out[i] += to_first + second[i] * b
        out[i + 1] += to_second + second[i] * a
    if paired < n:
        row, a, total = inverse[paired], x[paired], 0.0
        for j in range(paired):
            total += row[j] * x[j]
            out[j] += row[j] * a
        out[paired] += total
