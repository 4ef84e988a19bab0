"""Generated streams: the two-gaussian mixture of the SPA paper, and its Bayes rate.

With probability 0.4 a point has the label −1 and comes from N((0, 0), I), otherwise it has the
label +1 and comes from N((2, 0), 4I). (The paper gives the shares, not the labels.) The weighted
densities are equal on a circle: −1 is the better guess where 3‖x‖² + 4x₁ < 4 + 8 log(8/3), that is
inside the disc around (−2/3, 0) with the squared radius 16/9 + (8/3) log(8/3).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ncx2

Chunk = tuple[NDArray[np.float64], NDArray[np.int64]]

NEGATIVE_SHARE = 0.4
POSITIVE_MEAN = 2.0
POSITIVE_DEVIATION = 2.0

# Points are drawn in blocks of this many rows, so the data depends on neither n nor the chunks.
_BLOCK = 4096


def gaussian_mixture(n: int, random_state: int | np.random.Generator | None = None) -> Chunk:
    """Draw `n` points of the gaussian mixture: `X` (n × 2) and labels −1 / +1.

    >>> X, y = gaussian_mixture(5, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((5, 2), [-1, 1])
    """
    empty: Chunk = np.empty((0, 2)), np.empty(0, np.int64)
    return next(gaussian_mixture_stream(n, max(n, 1), random_state), empty)


def gaussian_mixture_stream(
    n: int, chunk: int = 10_000, random_state: int | np.random.Generator | None = None
) -> Iterator[Chunk]:
    """Draw the same `n` points as `gaussian_mixture`, in chunks of `chunk` rows (or what is left).

    >>> [len(y) for X, y in gaussian_mixture_stream(25, chunk=10, random_state=0)]
    [10, 10, 5]
    """
    if n < 0 or chunk < 1:
        raise ValueError(f"n must be at least 0 and chunk at least 1, got n={n}, chunk={chunk}")
    return _chunks(n, chunk, np.random.default_rng(random_state))


def gaussian_mixture_bayes_rate() -> float:
    """The mistake rate of the best possible classifier of the gaussian mixture, exactly.

    Each class's mass in the disc where −1 is the better guess is a value of the distribution
    function of a non-central χ² with two degrees of freedom.

    >>> round(100 * gaussian_mixture_bayes_rate(), 2)
    19.56
    """
    center = -2 / 3
    squared_radius = 16 / 9 + 8 / 3 * np.log(8 / 3)
    variance = POSITIVE_DEVIATION**2
    offset = (POSITIVE_MEAN - center) ** 2 / variance
    negative_inside = ncx2.cdf(squared_radius, 2, center**2)
    positive_inside = ncx2.cdf(squared_radius / variance, 2, offset)
    rate = NEGATIVE_SHARE * (1 - negative_inside) + (1 - NEGATIVE_SHARE) * positive_inside
    return float(rate)


def _chunks(n: int, chunk: int, rng: np.random.Generator) -> Iterator[Chunk]:
    X, y = _draw(0, rng)
    for start in range(0, n, chunk):
        rows = min(chunk, n - start)
        missing = rows - len(y)
        blocks = [_draw(_BLOCK, rng) for _ in range(-(-missing // _BLOCK))]
        X = np.concatenate([X] + [block[0] for block in blocks])
        y = np.concatenate([y] + [block[1] for block in blocks])
        # Copies, so that a caller who writes into a chunk does not touch the next one.
        yield X[:rows].copy(), y[:rows].copy()
        X, y = X[rows:], y[rows:]


def _draw(n: int, rng: np.random.Generator) -> Chunk:
    positive = rng.random(n) >= NEGATIVE_SHARE
    X = rng.standard_normal((n, 2))
    X[positive] *= POSITIVE_DEVIATION
    X[positive, 0] += POSITIVE_MEAN
    return X, np.where(positive, 1, -1)
