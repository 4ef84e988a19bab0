"""Coverage: core points such that every row is within half a diameter of one; and which diameter."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import scipy.sparse

from onkel.compiled.decorators import jit
from onkel.engine.layout import is_large, norms_of

BLOCK = 512
ROWS_AT_ONCE = 64  # of a table of distances: what is made of them stays in the cache
#: CSVRG: of so few rows each is a core point.
ALL_ROWS = 1000
#: CSVRG: rows with this kernel value are one to it.
EQUAL_TO_KERNEL = 0.9999
#: CSVRG: the smallest diameter to try, as a share of the extent of the data: above all rounding.
SMALLEST_SHARE = 1e-3
#: Rows of a sample; for AVM, the share of them that become core points.
SAMPLE = 4000
SHARE_WANTED = (0.25, 0.35)
#: AVM: a cell is not made smaller than that its rows have this kernel value with the core point.
SAME_TO_KERNEL = 0.99
#: AVM: a core point with a smaller share of its own kernel value stands in for a row worse than nothing would:
#: |phi(x) - phi(c)|^2 = 2 - 2 k(x, c) > 1 = |phi(x)|^2.
WORTH_KEEPING = 0.5
#: AVM: fewer rows than this tell nothing of the stream; the kernel alone then says what is near.
FEWEST_ROWS, NEAR_TO_KERNEL = 50, 0.9


def squared_distances(X: Any, V: Any) -> np.ndarray:
    """``|x|^2 + |v|^2 - 2 x.v`` by one matrix product, clipped at 0; centre dense data first."""
    if scipy.sparse.issparse(V) and is_large(V):
        gaps = (X @ V.T).toarray()
    else:
        gaps = X @ (V.toarray() if scipy.sparse.issparse(V) else V).T
    gaps *= -2
    gaps += norms_of(X, city_block=False)[:, None]
    gaps += norms_of(V, city_block=False)[None, :]
    return np.maximum(gaps, 0, out=gaps)


@jit
def open_cells(distances: Any, limit: float) -> Any:
    """Which rows of a block open a cell, each seeing the cells opened before it in the block."""
    n = distances.shape[0]
    opened = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        opened[i] = True
        for j in range(i):
            if opened[j] and distances[i, j] < limit:
                opened[i] = False
                break
    return opened


def cover(X: Any, diameter: float, max_cores: int | None = None) -> np.ndarray:
    """Rows that open a cell in one online pass: those at least diameter/2 from every earlier core.

    The pass ends early, with more than ``max_cores`` rows, when there are more.
    """
    if diameter == 0:
        return np.arange(X.shape[0])
    limit = (diameter / 2) ** 2
    cores = np.empty(0, dtype=np.intp)
    for start in range(0, X.shape[0], BLOCK):
        left = np.arange(start, min(start + BLOCK, X.shape[0]))
        if cores.size:
            distances = squared_distances(X[left], X[cores])
            left = left[distances.min(axis=1) >= limit]
        if left.size:
            opened = open_cells(squared_distances(X[left], X[left]), limit)
            cores = np.concatenate((cores, left[opened]))
        if max_cores is not None and cores.size > max_cores:
            break
    return cores


def choose_diameter(X: Any, most: int, kernel: Any) -> float:
    """A diameter that gives nearly ``most`` core points, and not more.

    Bisection on a sample: from the cells that it and its half open, those of all rows are foretold;
    then full passes. Rows that the kernel cannot tell apart share a cell, however few
    core points that leaves. 0 (every row a core point) where the data has no more than 1000 rows.
    """
    m = X.shape[0]
    if m <= ALL_ROWS:
        return 0.0
    smallest = kernel_diameter(EQUAL_TO_KERNEL, kernel)
    if m <= most:
        return smallest
    diameter = max(smallest, foretold_diameter(X, most))
    while cover(X, diameter, most).size > most:
        diameter *= 1.05
    return diameter


def foretold_diameter(X: Any, most: int) -> float:
    """A diameter of which a sample lets expect so many core points among all rows, or 0."""
    m = X.shape[0]
    n = min(m, SAMPLE)
    spread = np.linspace(0, m - 1, n).astype(np.intp)
    sample = X[np.concatenate((spread[::2], spread[1::2]))]  # its first half is spread as well
    unit = math.sqrt(float(squared_distances(sample, sample[:1]).max()))
    if unit == 0.0:
        return 0.0
    gaps = later_distances(sample / unit)
    low, high = SMALLEST_SHARE, 4.0
    for _ in range(20):
        middle = math.sqrt(low * high)
        if foretold_cells(gaps, middle, m) > most:
            low = middle
        else:
            high = middle
    return unit * high


def foretold_cells(gaps: np.ndarray, diameter: float, m: int) -> float:
    """How many cells m rows open, judging by those that a sample of them and its first half open."""
    n = len(gaps)
    half = (n + 1) // 2
    cells, before = count_cells(gaps, diameter, n), count_cells(gaps[:half, :half], diameter, half)
    return foretold(cells, before, m / n)


def foretold_labels(labels: np.ndarray, m: int) -> float:
    """How many different labels m rows have, likewise."""
    n = len(labels)
    found, before = len(np.unique(labels)), len(np.unique(labels[: (n + 1) // 2]))
    return foretold(found, before, m / n)


def foretold(found: int, in_first_half: int, times: float) -> float:
    """How many there are of what keeps turning up, when there are so many times as many rows."""
    return float(found * times ** math.log2(found / in_first_half))


def sample_diameter(
    X: Any, seed: int, kernel: Any = None, goes_on: bool = False, labels: Any = None
) -> float:
    """A diameter for rows like X, or for a stream that begins with X and goes on.

    The radius starts at the mean distance of two rows, and is then bisected until a cover of at most
    4000 rows (drawn at random) takes between 25 and 35 per cent of them as core points. A
    whole stream opens more cells than that, the fewer the lower its dimension. Of rows with more different
    ``labels`` than a quarter of them there are as many core points at least, lest classes have to share cells. Where
    most rows are near copies of a few, the share would ask for cells inside a heap of copies, which the ``kernel``
    cannot tell apart: cells are no smaller than where its values are 0.99, however few they are then.
    Where rows are far apart, the share would ask for cells whose core points have little to do with their rows: cells
    are no larger than where its values are half of those at the core point, however many they are then.
    Of a stream, the share is that of its first 4000 rows, foretold from those at hand.
    Of fewer than 50 rows a share says nothing: cells then reach to where the kernel's values are 0.9.
    """
    if X.shape[0] < FEWEST_ROWS and kernel is not None:
        return kernel_diameter(NEAR_TO_KERNEL, kernel)
    if X.shape[0] > SAMPLE:
        drawn = np.sort(np.random.default_rng(seed).choice(X.shape[0], SAMPLE, replace=False))
        X, labels = X[drawn], None if labels is None else labels[drawn]
    n = X.shape[0]
    if not scipy.sparse.issparse(X):
        X = X - np.median(X, axis=0)
    some = X[:: max(1, n // 500)]
    among = some.shape[0]
    mean = float(np.sqrt(squared_distances(some, some)).mean()) * among / max(1, among - 1)
    if mean == 0.0:
        return 1.0  # all rows are equal: any sphere holds them
    wanted = max(n, SAMPLE) if goes_on else n
    least_share, most_share = SHARE_WANTED
    if labels is not None:
        least_share = max(least_share, foretold_labels(labels, wanted) / wanted)
        most_share *= least_share / SHARE_WANTED[0]
    fewest, most = int(least_share * wanted), int(most_share * wanted) + 1
    smallest, largest = 0.0, math.inf
    if kernel is not None:
        smallest, largest = (kernel_diameter(k, kernel) for k in (SAME_TO_KERNEL, WORTH_KEEPING))
    low, high, diameter = 0.0, 4.0 * mean, 2.0 * mean
    gaps = later_distances(X / mean)  # of any unit: float32 holds them
    for _ in range(20):
        if high <= smallest:
            return smallest
        if low >= largest:
            return largest
        if wanted > n:
            cells = foretold_cells(gaps, diameter / mean, wanted)
        else:
            cells = count_cells(gaps, diameter / mean, most)
        if cells > most:
            low = diameter
        elif cells < fewest:
            high = diameter
        else:
            break
        diameter = 0.5 * (low + high)
    return min(max(diameter, smallest), largest)


def later_distances(X: Any) -> np.ndarray:
    """Squared distances of every row to itself and those after it, in float32; the rest is not set."""
    n = X.shape[0]
    gaps = np.empty((n, n), np.float32)
    for start in range(0, n, ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        gaps[rows, start:] = squared_distances(X[rows], X[start:])
    return gaps


def count_cells(gaps: np.ndarray, diameter: float, most: int) -> int:
    """How many rows open a cell, as in :func:`cover`; one too many stands for all above ``most``."""
    limit = np.float32((diameter / 2) ** 2)
    covered = np.zeros(len(gaps), bool)
    row = cells = 0
    while not covered[row] and cells <= most:
        cells += 1
        rest = covered[row:]
        rest |= gaps[row, row:] < limit
        rest[0] = True
        row += int(rest.argmin())  # the next that is not covered; itself if there is none
    return cells


def kernel_diameter(share: float, kernel: Any) -> float:
    """The diameter of the cells whose edges have this share of the kernel's value at the core point."""
    least = share * float(kernel.value(0.0))

    def is_near(squared_distance: float) -> bool:
        return float(kernel.value(squared_distance)) > least

    far = 1.0
    while is_near(far) and far < sys.float_info.max / 4:
        far *= 2.0
    while not is_near(far / 2.0) and far > 4 * sys.float_info.min:
        far /= 2.0
    near = far / 2.0
    for _ in range(sys.float_info.mant_dig):
        middle = 0.5 * (near + far)
        near, far = (middle, far) if is_near(middle) else (near, middle)
    return 2.0 * math.sqrt(near)
