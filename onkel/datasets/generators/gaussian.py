"""The two-gaussian mixture of the SPA paper, and its Bayes rate.

With probability 0.4 a point has the label −1 and comes from N((0, 0), I), otherwise it has the
label +1 and comes from N((2, 0), 4I). (The paper gives the shares, not the labels.) The weighted
densities are equal on a circle: −1 is the better guess where 3‖x‖² + 4x₁ < 4 + 8 log(8/3), that is
inside the disc around (−2/3, 0) with the squared radius 16/9 + (8/3) log(8/3).
"""

from collections.abc import Iterator

import numpy as np
from scipy.stats import ncx2

from onkel.datasets.generators.chunks import BLOCK, Chunk, Seed, in_chunks, in_one

NEGATIVE_SHARE = 0.4
POSITIVE_MEAN = 2.0
POSITIVE_DEVIATION = 2.0


def gaussian_mixture(n: int, random_state: Seed = None) -> Chunk:
    """Draw points of the gaussian mixture of the SPA paper.

    With probability 0.4 a point has the label −1 and comes from N((0, 0), I), otherwise it has the label +1 and
    comes from N((2, 0), 4I).

    Parameters
    ----------
    n : int
        Number of points.
    random_state : int, Generator or None, default=None
        Where the randomness comes from.

    Returns
    -------
    X : ndarray of shape (n, 2)
        The points.
    y : ndarray of shape (n,)
        Their labels, −1 or +1.

    Examples
    --------
    >>> X, y = gaussian_mixture(5, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((5, 2), [-1, 1])
    """
    return in_one(_blocks(random_state), n)


def gaussian_mixture_stream(
    n: int, chunk: int = 10_000, random_state: Seed = None
) -> Iterator[Chunk]:
    """Draw the same points as `gaussian_mixture`, in chunks.

    Parameters
    ----------
    n : int
        Number of points in all.
    chunk : int, default=10000
        Points of a chunk; the last has what is left.
    random_state : int, Generator or None, default=None
        Where the randomness comes from.

    Returns
    -------
    iterator of (X, y)
        The chunks.

    Examples
    --------
    >>> [len(y) for X, y in gaussian_mixture_stream(25, chunk=10, random_state=0)]
    [10, 10, 5]
    """
    return in_chunks(_blocks(random_state), n, chunk)


def gaussian_mixture_bayes_rate() -> float:
    """Compute the mistake rate of the best possible classifier of the gaussian mixture, exactly.

    Each class's mass in the disc where −1 is the better guess is a value of the distribution
    function of a non-central χ² with two degrees of freedom.

    Returns
    -------
    float
        The rate.

    Examples
    --------
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


def _blocks(random_state: Seed) -> Iterator[Chunk]:
    rng = np.random.default_rng(random_state)
    while True:
        positive = rng.random(BLOCK) >= NEGATIVE_SHARE
        X = rng.standard_normal((BLOCK, 2))
        X[positive] *= POSITIVE_DEVIATION
        X[positive, 0] += POSITIVE_MEAN
        yield X, np.where(positive, 1, -1)
