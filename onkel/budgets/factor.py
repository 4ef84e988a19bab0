"""The triangular factor R of a Gram matrix, K = R'R, under append and remove: O(n^2) each.

What a vector has outside the span of the others comes out to a few ulps, however near to singular
K is; an inverse would multiply the ulps with the condition of K at every update. R is upper
triangular, so that the inner loops run along its rows; the diagonal holds 1 / R[i, i].
"""

from __future__ import annotations

import math

from onkel.compile import inner


@inner
def solve_first(factor, n, x):
    """x <- R'^-1 x, two rows at a time."""
    paired = n - n % 2
    for i in range(0, paired, 2):
        first, second = factor[i], factor[i + 1]
        a = x[i] * first[i]
        b = (x[i + 1] - a * first[i + 1]) * second[i + 1]
        x[i], x[i + 1] = a, b
        for j in range(i + 2, n):
            x[j] -= a * first[j] + b * second[j]
    if paired < n:
        x[paired] *= factor[paired, paired]


@inner
def solve_second(factor, n, x):
    """x <- R^-1 x, two rows at a time, from the last on."""
    i = n - 1
    if n % 2 == 1:
        x[i] *= factor[i, i]
        i -= 1
    while i > 0:
        first, second = factor[i - 1], factor[i]
        a, b = x[i - 1], x[i]
        for j in range(i + 1, n):
            a -= first[j] * x[j]
            b -= second[j] * x[j]
        b *= second[i]
        x[i] = b
        x[i - 1] = (a - first[i] * b) * first[i - 1]
        i -= 2


@inner
def append_factor(factor, n, solved, residual):
    """One more vector: ``solved`` = R'^-1 k, ``residual`` = k(x, x) - solved . solved > 0."""
    for i in range(n):
        factor[i, n] = solved[i]
    factor[n, n] = 1.0 / math.sqrt(residual)


@inner
def remove_factor(factor, n, place, carried):
    """One vector less: what its row held is turned into the rows below. ``carried`` is scratch."""
    for i in range(place):
        row = factor[i]
        for j in range(place + 1, n):
            row[j - 1] = row[j]
    for j in range(place + 1, n):
        carried[j] = factor[place, j]
    for i in range(place + 1, n):
        above, row = factor[i - 1], factor[i]
        corner = 1.0 / row[i]
        length = math.hypot(carried[i], corner)
        cosine, sine = carried[i] / length, corner / length
        above[i - 1] = 1.0 / length
        for j in range(i + 1, n):
            turned = cosine * carried[j] + sine * row[j]
            carried[j] = cosine * row[j] - sine * carried[j]
            above[j - 1] = turned


@inner
def places_by_age(born, n, places):
    """Where the factor has each vector: ``places[i]`` is how many are older than the i-th."""
    for i in range(n):
        older = 0
        for j in range(n):
            older += 1 if born[j] < born[i] else 0
        places[i] = older
