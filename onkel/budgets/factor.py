"""The triangular factor R of a Gram matrix, K = R'R, under append and remove: O(n^2) each.

What a vector has outside the span of the others comes out to a few ulps, however near to singular
K is; an inverse would multiply the ulps with the condition of K at every update. R is upper
triangular, so that the inner loops run along its rows; the diagonal holds 1 / R[i, i].
"""

from __future__ import annotations

import math
from typing import Any

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner


@inner
def solve_first(factor: Array, n: int, x: Array) -> None:
    """x <- R'^-1 x, four rows at a time, so that x is read and written less."""
    whole = n - n % 4
    for i in range(0, whole, 4):
        first, second, third, fourth = factor[i], factor[i + 1], factor[i + 2], factor[i + 3]
        a = x[i] * first[i]
        b = (x[i + 1] - a * first[i + 1]) * second[i + 1]
        c = (x[i + 2] - a * first[i + 2] - b * second[i + 2]) * third[i + 2]
        d = x[i + 3] - a * first[i + 3] - b * second[i + 3] - c * third[i + 3]
        d *= fourth[i + 3]
        x[i], x[i + 1], x[i + 2], x[i + 3] = a, b, c, d
        for j in range(i + 4, n):
            x[j] -= a * first[j] + b * second[j] + c * third[j] + d * fourth[j]
    for i in range(whole, n):
        x[i] *= factor[i, i]
        for j in range(i + 1, n):
            x[j] -= x[i] * factor[i, j]


@inner
def solve_second(factor: Array, n: int, x: Array) -> None:
    """x <- R^-1 x, four rows at a time, from the last on."""
    i = n - 1
    while (i + 1) % 4 != 0:
        for j in range(i + 1, n):
            x[i] -= factor[i, j] * x[j]
        x[i] *= factor[i, i]
        i -= 1
    while i > 0:
        first, second, third, fourth = factor[i - 3], factor[i - 2], factor[i - 1], factor[i]
        a, b, c, d = x[i - 3], x[i - 2], x[i - 1], x[i]
        for j in range(i + 1, n):
            a -= first[j] * x[j]
            b -= second[j] * x[j]
            c -= third[j] * x[j]
            d -= fourth[j] * x[j]
        d *= fourth[i]
        c = (c - third[i] * d) * third[i - 1]
        b = (b - second[i - 1] * c - second[i] * d) * second[i - 2]
        a = (a - first[i - 2] * b - first[i - 1] * c - first[i] * d) * first[i - 3]
        x[i - 3], x[i - 2], x[i - 1], x[i] = a, b, c, d
        i -= 4


@inner
def append_factor(factor: Array, n: int, solved: Array, residual: float) -> None:
    """One more vector: ``solved`` = R'^-1 k, ``residual`` = k(x, x) - solved . solved > 0."""
    for i in range(n):
        factor[i, n] = solved[i]
    factor[n, n] = 1.0 / math.sqrt(residual)


@inner
def remove_factor(factor: Array, n: int, place: int, carried: Array) -> Any:
    """One vector less: what its row held is turned into the rows below.

    ``carried`` is left as R'^-1 k, where k are the kernel values of the vector that went and the
    others; what it had outside of their span, squared, is returned.
    """
    for i in range(place):
        row = factor[i]
        carried[i] = row[place]
        for j in range(place + 1, n):
            row[j - 1] = row[j]
    rest = 1.0 / factor[place, place]
    for j in range(place + 1, n):
        carried[j] = factor[place, j]
    for i in range(place + 1, n):
        above, row = factor[i - 1], factor[i]
        corner = 1.0 / row[i]
        length = math.sqrt(carried[i] * carried[i] + corner * corner)
        cosine, sine = carried[i] / length, corner / length
        above[i - 1] = 1.0 / length
        carried[i - 1], rest = cosine * rest, -sine * rest
        for j in range(i + 1, n):
            turned = cosine * carried[j] + sine * row[j]
            carried[j] = cosine * row[j] - sine * carried[j]
            above[j - 1] = turned
    return rest * rest


@inner
def places_by_age(born: Array, n: int, places: Array) -> None:
    """Where the factor has each vector: ``places[i]`` is how many are older than the i-th."""
    for i in range(n):
        older = 0
        for j in range(n):
            older += 1 if born[j] < born[i] else 0
        places[i] = older
