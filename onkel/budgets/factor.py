"""The triangular factor of a Gram matrix, K = L L': O(n^2) to solve with, O(n) to append to.

What a vector has outside the span of others comes out of it to a few ulps, however near to singular
K is; an inverse would multiply the ulps with the condition of K. The diagonal holds 1 / L[i, i].
"""

from __future__ import annotations

import math

from onkel.compile import inner


@inner
def solve_lower(factor, n, x, out):
    """out = L^-1 x, two rows at a time."""
    paired = n - n % 2
    for i in range(0, paired, 2):
        first, second = factor[i], factor[i + 1]
        from_first, from_second = 0.0, 0.0
        for j in range(i):
            from_first += first[j] * out[j]
            from_second += second[j] * out[j]
        out[i] = (x[i] - from_first) * first[i]
        out[i + 1] = (x[i + 1] - from_second - second[i] * out[i]) * second[i + 1]
    if paired < n:
        row, known = factor[paired], 0.0
        for j in range(paired):
            known += row[j] * out[j]
        out[paired] = (x[paired] - known) * row[paired]


@inner
def solve_upper(factor, n, x):
    """x <- L'^-1 x, two rows at a time, from the last on."""
    i = n - 1
    if n % 2 == 1:
        row = factor[i]
        x[i] *= row[i]
        for j in range(i):
            x[j] -= x[i] * row[j]
        i -= 1
    while i > 0:
        first, second = factor[i - 1], factor[i]
        b = x[i] * second[i]
        a = (x[i - 1] - b * second[i - 1]) * first[i - 1]
        x[i - 1], x[i] = a, b
        for j in range(i - 1):
            x[j] -= a * first[j] + b * second[j]
        i -= 2


@inner
def append_factor(factor, n, solved, residual):
    """One more vector: ``solved`` = L^-1 k, ``residual`` = k(x, x) - solved . solved > 0."""
    last = factor[n]
    for i in range(n):
        last[i] = solved[i]
    last[n] = 1.0 / math.sqrt(residual)
