"""The inverse of the Gram matrix under append, remove and move: O(n^2) each, float64 throughout.

Only the lower triangle is kept: half the memory traffic, which is what these updates wait for.
"""

from __future__ import annotations

import numpy as np

from onkel.compile import inner


@inner
def multiply_inverse(inverse, n, x, out):
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


@inner
def append_inverse(inverse, n, projection, residual):
    """One more vector: ``projection`` = inverse @ k, ``residual`` = k(x, x) - k . projection > 0."""
    last = inverse[n]
    for i in range(n):
        row, share = inverse[i], projection[i] / residual
        for j in range(i + 1):
            row[j] += share * projection[j]
        last[i] = -share
    last[n] = 1.0 / residual


@inner
def column_of_inverse(inverse, n, slot, out):
    """out = inverse[:, slot]."""
    for i in range(slot):
        out[i] = inverse[slot, i]
    for i in range(slot, n):
        out[i] = inverse[i, slot]


@inner
def remove_inverse(inverse, n, slot, column):
    """One vector less: its row and column are left to be overwritten. ``column`` is its column."""
    pivot = column[slot]
    for i in range(n):
        if i == slot:
            continue
        row, share = inverse[i], column[i] / pivot
        for j in range(i + 1):
            row[j] -= share * column[j]


@inner
def move_inverse(inverse, last, slot):
    """The last vector moves into a slot that was given up."""
    for i in range(slot):
        inverse[slot, i] = inverse[last, i]
    for i in range(slot + 1, last):
        inverse[i, slot] = inverse[last, i]
    inverse[slot, slot] = inverse[last, last]


@inner
def refresh_inverse(inverse, gram, n, jitter):
    """The inverse computed anew, to stop rounding from piling up."""
    matrix = gram[:n, :n].copy()
    for i in range(n):
        matrix[i, i] = matrix[i, i] * (1.0 + jitter) if matrix[i, i] > 0.0 else 1.0
    fresh = np.linalg.inv(matrix)
    for i in range(n):
        for j in range(i + 1):
            inverse[i, j] = 0.5 * (fresh[i, j] + fresh[j, i])
